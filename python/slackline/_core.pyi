# The compiled module, of which the type checker knows only that its names exist.
from typing import Any

__version__: str
has_vision: bool
vision_missing: str

def __getattr__(name: str) -> Any: ...
