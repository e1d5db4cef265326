// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/report/cmd_report_page.h>

#include <nlohmann/json.hpp>

#include <slackline/apps/report/cmd_report_assets.h>

namespace slackline::internal::program {
namespace {

std::string EscapedHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// JSON that is safe inside <script>: without '<', neither </script> nor <!-- can occur.
std::string ScriptJson(const Json& json) {
  std::string escaped;
  for (const char c : JsonLine(json)) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// The library without its last line, which names a source map for debuggers.
std::string_view LibraryText() {
  const std::string_view text = ChartLibrary();
  return text.substr(0, text.rfind("//# sourceMappingURL"));
}

void AddScript(std::string_view text, std::string* page) {
  page->append("<script>\n").append(text).append("</script>\n");
}

}  // namespace

std::string ReportPage(const Json& data, std::string_view title) {
  const std::string shown = EscapedHtml(title);
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // This makes the browser refuse to load anything from elsewhere.
  page +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" + shown +
          "</title>\n<style>\n";
  page.append(ReportStyle())
      .append("</style>\n</head>\n<body>\n<h1>")
      .append(shown)
      .append("</h1>\n");
  page +=
      "<noscript>The figures of this page are drawn by its script; please allow "
      "scripts.</noscript>\n";
  page += "<main id=\"report\"></main>\n<script type=\"application/json\" id=\"runs\">";
  page += ScriptJson(data) + "</script>\n";
  AddScript("/*!\n" + std::string(ChartLicence()) + "*/\n" + std::string(LibraryText()), &page);
  if (data.contains("model")) AddScript(ModelScript(), &page);
  AddScript(CurveScript(), &page);
  AddScript(ReportScript(), &page);
  AddScript(SelfTest(), &page);
  return page + "</body>\n</html>\n";
}

}  // namespace slackline::internal::program
