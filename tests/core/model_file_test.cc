// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/model_file.h>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/core/types.h>
#include <tests/core/pipe.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

ModelWriter Example() {
  ModelWriter writer;
  writer.Add("kind", "multilabel");
  writer.Add("labels", std::vector<std::string>{"a", "", "c d"});
  writer.Add("sizes", std::vector<std::int64_t>{0, -1, std::numeric_limits<std::int64_t>::min()});
  writer.Add("weights", std::vector<double>{0.1, -0.0, 1e-310, kInfinity});
  return writer;
}

/// The bytes with the correct length and checksum.
std::string WithLengthAndChecksum(std::string bytes) {
  for (std::size_t b = 0; b < 8; ++b)
    bytes[12 + b] = static_cast<char>(bytes.size() >> (8 * b) & 0xff);
  const std::size_t body = bytes.size() - 4;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(body));
  for (std::size_t b = 0; b < 4; ++b) bytes[body + b] = static_cast<char>(sum >> (8 * b) & 0xff);
  return bytes;
}

bool Administrator() { return geteuid() == 0; }

}  // namespace

TEST_CASE("entries of every type come back as they were") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  Example().Save(path);
  const ModelReader reader(path);
  CHECK(reader.names() == std::vector<std::string>{"kind", "labels", "sizes", "weights"});
  CHECK(reader.String("kind") == "multilabel");
  CHECK(reader.Strings("labels") == std::vector<std::string>{"a", "", "c d"});
  REQUIRE(reader.Integers("sizes").size() == 3);
  CHECK(reader.Integers("sizes")[1] == -1);
  CHECK(reader.Integers("sizes")[2] == std::numeric_limits<std::int64_t>::min());
  REQUIRE(reader.Doubles("weights").size() == 4);
  CHECK(reader.Doubles("weights")[0] == 0.1);
  CHECK(std::signbit(reader.Doubles("weights")[1]));
  CHECK(reader.Doubles("weights")[2] == 1e-310);
  CHECK(reader.Doubles("weights")[3] == kInfinity);
  CHECK(reader.Has("kind"));
  CHECK_FALSE(reader.Has("kin"));
}

TEST_CASE("weights with many zeros are packed, and read back bit for bit") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  Random random(5);
  for (const std::size_t size : {0, 1, 7, 8, 9, 1000}) {
    for (const double share : {0.0, 0.1, 0.9, 1.0}) {
      CAPTURE(size);
      CAPTURE(share);
      std::vector<double> weights(size);
      for (double& weight : weights) {
        if (random.Uniform() < share) weight = random.Uniform() < 0.1 ? -0.0 : random.Normal();
      }
      ModelWriter writer;
      writer.AddWeights("weights", weights);
      writer.Add("after", "it");
      writer.Save(path);
      ModelReader reader(path);
      CHECK_FALSE(reader.HasSinglePrecision("weights"));
      const std::vector<double> read = reader.TakeDoubles("weights");
      REQUIRE(read.size() == size);
      for (std::size_t k = 0; k < size; ++k)
        CHECK(std::bit_cast<std::uint64_t>(read[k]) == std::bit_cast<std::uint64_t>(weights[k]));
      CHECK(reader.String("after") == "it");
      CHECK_FALSE(reader.Has("weights"));
      CHECK(reader.names() == std::vector<std::string>{"after"});
      CHECK_THROWS_AS(reader.TakeDoubles("weights"), DataError);
    }
  }
}

TEST_CASE("packed files are small, and only they need a newer program") {
  const TemporaryFolder folder;
  const auto size_and_format = [&](const std::vector<double>& weights, bool single) {
    const std::string path = folder.Path("m.slk");
    ModelWriter writer;
    writer.AddWeights("w", weights, single);
    writer.Save(path);
    const std::string bytes = ReadBytes(folder.Path("m.slk"));
    return std::make_pair(bytes.size() - 24 - 6 - 8 - 4, static_cast<int>(bytes[8]));
  };
  std::vector<double> weights(800, 0.0);
  for (std::size_t k = 0; k < 100; ++k) weights[8 * k] = 0.1;
  CHECK(size_and_format(weights, false) == std::make_pair(std::size_t{100 + 800}, 2));
  CHECK(size_and_format(weights, true) == std::make_pair(std::size_t{100 + 400}, 2));
  const std::vector<double> full(800, 0.1);
  CHECK(size_and_format(full, false) == std::make_pair(std::size_t{6400}, 1));
  CHECK(size_and_format(full, true) == std::make_pair(std::size_t{100 + 3200}, 2));
}

TEST_CASE("single precision rounds, and keeps numbers that it cannot represent") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  const auto read = [&](const std::vector<double>& weights, bool* single) {
    ModelWriter writer;
    writer.AddWeights("w", weights, true);
    writer.Save(path);
    const ModelReader reader(path);
    *single = reader.HasSinglePrecision("w");
    const std::span<const double> values = reader.Doubles("w");
    return std::vector<double>(values.begin(), values.end());
  };
  bool single = false;
  const std::vector<double> weights = {0.1, 0, -3.25, 1e-300, -0.0, 3e38};
  const std::vector<double> rounded = read(weights, &single);
  CHECK(single);
  for (std::size_t k = 0; k < weights.size(); ++k)
    CHECK(rounded[k] == static_cast<double>(static_cast<float>(weights[k])));
  CHECK(rounded[0] != 0.1);
  CHECK(rounded[3] == 0);
  CHECK(std::signbit(rounded[4]));
  CHECK(read({0.1, 1e39}, &single) == std::vector<double>{0.1, 1e39});
  CHECK_FALSE(single);
}

TEST_CASE("inconsistent packed numbers are refused") {
  const TemporaryFolder folder;
  ModelWriter writer;
  writer.AddWeights("w", std::vector<double>{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0});
  writer.Save(folder.Path("m.slk"));
  const std::string good = ReadBytes(folder.Path("m.slk"));
  const std::size_t count = 24 + 6;
  const auto refused = [&](std::string bytes) {
    folder.Write("bad.slk", WithLengthAndChecksum(std::move(bytes)));
    CHECK_THROWS_WITH_AS(ModelReader(folder.Path("bad.slk")),
                         doctest::Contains("is damaged: its entries do not add up"), DataError);
  };
  std::string bad = good;
  bad[count] = 6;  // a bit beyond the last number
  refused(bad);
  bad = good;
  bad[count + 8] = 0;  // a number without a bit
  refused(bad);
  bad = good;
  bad[count + 9] = 1;  // a bit without a number
  refused(bad);
  bad = good;
  for (std::size_t b = 0; b < 8; ++b) bad[count + b] = static_cast<char>(0xff);
  refused(bad);
}

TEST_CASE("empty entries, empty models and large entries are read back") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  ModelWriter().Save(path);
  CHECK(ModelReader(path).names().empty());
  std::vector<double> large(400000);
  Random random(7);
  for (double& value : large) value = random.Normal();
  ModelWriter writer;
  writer.Add("s", std::string());
  writer.Add("ss", std::vector<std::string>());
  writer.Add("i", std::vector<std::int64_t>());
  writer.Add("d", std::vector<double>());
  writer.Add("large", large);
  writer.Save(path);
  const ModelReader reader(path);
  CHECK(reader.String("s").empty());
  CHECK(reader.Strings("ss").empty());
  CHECK(reader.Integers("i").empty());
  CHECK(reader.Doubles("d").empty());
  CHECK(std::equal(large.begin(), large.end(), reader.Doubles("large").begin(),
                   reader.Doubles("large").end()));
}

TEST_CASE("the bytes of the format are fixed") {
  const TemporaryFolder folder;
  ModelWriter writer;
  writer.Add("w", std::vector<double>{1.0});
  writer.Save(folder.Path("m"));
  const std::string body(
      "SLACKLIN\1\0\0\0\x32\0\0\0\0\0\0\0\1\0\0\0\3\1\0\0\0w\1\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f",
      46);
  const std::string bytes = ReadBytes(folder.Path("m"));
  CHECK(bytes.size() == 50);
  CHECK(bytes.substr(0, 46) == body);
  CHECK(bytes == WithLengthAndChecksum(bytes));
}

TEST_CASE("missing entries and wrong types are named") {
  const TemporaryFolder folder;
  const std::string path = folder.Path("m.slk");
  Example().Save(path);
  const ModelReader reader(path);
  CHECK(MessageOf<DataError>([&] { reader.Doubles("bias"); }) ==
        path + ": the model has no entry 'bias'");
  CHECK(MessageOf<DataError>([&] { reader.Doubles("kind"); }) ==
        path + ": entry 'kind' of the model holds string, not doubles");
  CHECK(MessageOf<DataError>([&] { reader.String("sizes"); }) ==
        path + ": entry 'sizes' of the model holds integers, not string");
}

TEST_CASE("a writer refuses empty names and names used twice") {
  ModelWriter writer = Example();
  CHECK_THROWS_AS(writer.Add("", "x"), std::invalid_argument);
  CHECK_THROWS_AS(writer.Add("kind", std::vector<double>{1}), std::invalid_argument);
}

TEST_CASE("each kind of bad file has its own message") {
  const TemporaryFolder folder;
  Example().Save(folder.Path("m"));
  const std::string good = ReadBytes(folder.Path("m"));
  const auto error = [&](const std::string& bytes) {
    const std::string path = folder.Write("bad", bytes);
    return MessageOf<DataError>([&] { ModelReader reader(path); }).substr(path.size() + 2);
  };
  const std::string size = std::to_string(good.size());
  CHECK(error("") == "not a Slackline model");
  CHECK(error("SLACKLESS and more") == "not a Slackline model");
  CHECK(error("SLACK") == "the model is truncated: expected at least 28 bytes, found 5");
  CHECK(error(good.substr(0, 20)) ==
        "the model is truncated: expected at least 28 bytes, found 20");
  CHECK(error(good.substr(0, good.size() - 1)) == "the model is truncated: expected " + size +
                                                      " bytes, found " +
                                                      std::to_string(good.size() - 1));
  CHECK(error(good + "x") == "the model is too long: expected " + size + " bytes, found more");
  std::string bad = good;
  bad[40] = static_cast<char>(bad[40] ^ 1);
  CHECK(error(bad) == "the model is damaged: its checksum does not match");
  bad = good;
  bad[8] = 3;
  CHECK(error(bad) ==
        "written by a newer version: its format is 3, this program reads formats up to 2");
  CHECK(MessageOf<DataError>([&] { ModelReader reader(folder.Path("none")); }) ==
        folder.Path("none") + ": cannot open the file: No such file or directory");
  CHECK(MessageOf<DataError>([&] { ModelReader reader(folder.Path("")); }) ==
        folder.Path("") + ": is a directory, not a file");
}

TEST_CASE("an endless file is read no further than its header allows") {
  CHECK(MessageOf<DataError>([] { ModelReader reader("/dev/zero"); }) ==
        "/dev/zero: not a Slackline model");
  const TemporaryFolder folder;
  Example().Save(folder.Path("m.slk"));
  const auto piped = [&](std::string begin) {
    const Pipe pipe(folder.Path("pipe"), std::move(begin), true);
    return MessageOf<DataError>([&] { ModelReader reader(pipe.path()); });
  };
  const std::string bytes = ReadBytes(folder.Path("m.slk"));
  CHECK(Contains(piped(bytes), "the model is too long: expected " + std::to_string(bytes.size())));
  std::string endless = bytes;
  std::fill_n(endless.begin() + 12, 7, '\xff');
  endless[19] = 0x7f;
  CHECK(Contains(piped(endless), "the model claims to have 9223372036854775807 bytes"));
}

TEST_CASE("every truncation and every changed byte is detected") {
  const TemporaryFolder folder;
  Example().Save(folder.Path("m"));
  const std::string good = ReadBytes(folder.Path("m"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::string path = folder.Write("bad", good.substr(0, length));
    CHECK_THROWS_AS(ModelReader{path}, DataError);
  }
  for (std::size_t position = 0; position < good.size(); ++position) {
    for (int change = 1; change < 256; change = change < 8 ? change + 1 : change * 2 - 1) {
      std::string bad = good;
      bad[position] = static_cast<char>(bad[position] ^ change);
      const std::string path = folder.Write("bad", bad);
      CHECK_THROWS_AS(ModelReader{path}, DataError);
    }
  }
}

TEST_CASE("absurd lengths under a right checksum neither crash nor allocate") {
  const TemporaryFolder folder;
  Example().Save(folder.Path("m"));
  const std::string good = ReadBytes(folder.Path("m"));
  int refused = 0;
  for (std::size_t position = 20; position + 4 < good.size(); ++position) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string bad = good;
      bad[position] = static_cast<char>(value);
      const std::string path = folder.Write("bad", WithLengthAndChecksum(bad));
      try {
        const ModelReader reader(path);
        CHECK(reader.names().size() == 4);
      } catch (const DataError&) {
        ++refused;
      }
    }
  }
  CHECK(refused > 0);
  // Bytes cut out of the middle, under a right checksum.
  for (std::size_t position = 24; position + 5 < good.size(); ++position) {
    std::string bad = good;
    const std::string path = folder.Write("bad", WithLengthAndChecksum(bad.erase(position, 1)));
    CHECK_THROWS_AS(ModelReader{path}, DataError);
  }
}

TEST_CASE("saving replaces the old file and leaves nothing else behind") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("m.slk", "old content");
  folder.Write("m.slk.slackline-tmp-1", "left by an earlier process");
  Example().Save(path);
  CHECK(ModelReader(path).Has("weights"));
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("a save that fails half-way leaves the old file and nothing else") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("m.slk", "old content");
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
  rlimit limit = old_limit;
  limit.rlim_cur = 100;  // bytes per file: less than the model has
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::string message = MessageOf<DataError>([&] { Example().Save(path); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  CHECK(message == path + ": writing failed: File too large");
  CHECK(ReadBytes(path) == "old content");
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("saving through a symbolic link keeps the link") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("m.slk", "old content");
  std::filesystem::create_symlink("m.slk", folder.Path("link"));
  Example().Save(folder.Path("link"));
  CHECK(std::filesystem::is_symlink(folder.Path("link")));
  CHECK(ModelReader(path).Has("weights"));
}

TEST_CASE(
    "where a model cannot be written, both the check and the save report it and change nothing") {
  const TemporaryFolder folder;
  const auto both = [&](const std::string& path) {
    const std::string message = MessageOf<DataError>([&] { CheckWritable(path); });
    CHECK(message == MessageOf<DataError>([&] { Example().Save(path); }));
    return message;
  };
  const std::string lost = folder.Path("missing/m.slk");
  CHECK(both(lost) == lost + ": there is no folder '" + folder.Path("missing") + "'");
  const std::string here = folder.Path("folder");
  std::filesystem::create_directory(here);
  CHECK(both(here) == here + ": is a directory, not a file");
  CHECK(both("") == "the name of the file is empty");
  const std::string pipe = folder.Path("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(both(pipe) == pipe + ": is not a regular file");
  const std::string below = folder.Write("file", "x") + "/m.slk";
  CHECK(Contains(both(below), "there is no folder"));
  const std::string name = folder.Path(std::string(250, 'n'));
  CHECK(both(name) == name + ": cannot write here: File name too long");
  if (!Administrator()) {
    const std::string locked = folder.Write("locked", "content");
    std::filesystem::permissions(locked, std::filesystem::perms::owner_read);
    CHECK(both(locked) == locked + ": cannot write here: Permission denied");
    CHECK(ReadBytes(locked) == "content");
    std::filesystem::permissions(
        here, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    CHECK(Contains(both(here + "/m.slk"), "Permission denied"));
    std::filesystem::permissions(here, std::filesystem::perms::owner_all);
    std::filesystem::remove(locked);
  }
  CHECK(folder.NumFiles() == 3);  // folder, pipe, file
}

TEST_CASE("the check leaves no new or changed file") {
  const TemporaryFolder folder;
  CheckWritable(folder.Path("new.slk"));
  CHECK(folder.NumFiles() == 0);
  const std::string path = folder.Write("old.slk", "content");
  const auto time = std::filesystem::last_write_time(path);
  CheckWritable(path);
  CHECK(ReadBytes(path) == "content");
  CHECK(std::filesystem::last_write_time(path) == time);
  CHECK(folder.NumFiles() == 1);
}

TEST_CASE("the bytes of a file are read like the file") {
  ModelWriter writer;
  writer.Add("name", std::string("value"));
  const std::string bytes = writer.Bytes();
  const ModelReader reader = ModelReader::FromBytes(bytes, "memory");
  CHECK(reader.String("name") == "value");
  CHECK(reader.path() == "memory");
  CHECK_THROWS_AS(ModelReader::FromBytes(bytes.substr(0, bytes.size() - 1), "memory"), DataError);
  CHECK_THROWS_AS(ModelReader::FromBytes("", "memory"), DataError);
  CHECK_THROWS_AS(ModelReader::FromBytes(bytes, "memory", kCheckpointKind), DataError);
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 1;
  CHECK_THROWS_AS(ModelReader::FromBytes(damaged, "memory"), DataError);
}
