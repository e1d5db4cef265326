# SPDX-License-Identifier: BSD-3-Clause
"""What all tests need."""
import signal

# A shell makes its background jobs ignore Ctrl-C, and their children inherit that. Tests press
# Ctrl-C themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)
