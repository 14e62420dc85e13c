//===- html_document_test.cpp - One HTML file that needs nothing else -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/html_document.h"

#include "html/packed_bytes.h"
#include "string_sink.h"
#include "support/escaped_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace pagetide::tools {
namespace {

std::string base64_of(std::string_view text) {
  return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
}

TEST(PackedBytes, Base64) {
  // The test vectors of RFC 4648.
  EXPECT_EQ(base64_of(""), "");
  EXPECT_EQ(base64_of("f"), "Zg==");
  EXPECT_EQ(base64_of("fo"), "Zm8=");
  EXPECT_EQ(base64_of("foo"), "Zm9v");
  EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_of("\xfb\xff\xbf"), "+/+/");
}

TEST(PackedBytes, DeflatedBytesComeBack) {
  for (const std::size_t size : {0u, 1u, 1000u, 3'000'000u}) {
    std::vector<std::uint8_t> bytes(size);
    std::uint32_t state = 1;
    for (std::uint8_t &byte : bytes) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
    const std::vector<std::uint8_t> packed = deflate_raw(bytes);
    z_stream stream = {};
    ASSERT_EQ(inflateInit2(&stream, -15), Z_OK);
    std::vector<std::uint8_t> back(size + 1);
    stream.next_in = const_cast<std::uint8_t *>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = back.data();
    stream.avail_out = static_cast<uInt>(back.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    back.resize(stream.total_out);
    inflateEnd(&stream);
    EXPECT_EQ(back, bytes);
  }
}

std::size_t size_by_zlib(const std::vector<std::uint8_t> &bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<std::uint8_t> packed(size);
  EXPECT_EQ(compress(packed.data(), &size, bytes.data(), bytes.size()), Z_OK);
  return size;
}

TEST(PackedBytes, NoiseIsPackedWithoutALookForStrings) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> noise(2 << 20);
  for (std::uint8_t &byte : noise)
    byte = static_cast<std::uint8_t>(random() % 5 * (random() % 3));
  EXPECT_LT(deflate_raw(noise).size(), size_by_zlib(noise) / 20 * 19);
  // What repeats far apart is found.
  std::vector<std::uint8_t> repeated;
  while (repeated.size() < noise.size())
    repeated.insert(repeated.end(), noise.begin(), noise.begin() + 20'000);
  EXPECT_LE(deflate_raw(repeated).size(), size_by_zlib(repeated));
}

TEST(PackedBytes, NothingIfThereIsNoRoom) {
  std::vector<std::uint8_t> bytes(100'000);
  std::mt19937 random(1);
  for (std::uint8_t &byte : bytes)
    byte = static_cast<std::uint8_t>(random() & 15);
  const std::vector<std::uint8_t> packed = deflate_raw(bytes);
  EXPECT_EQ(deflate_raw(bytes, packed.size()), packed);
  for (const std::size_t room : {std::size_t{0}, packed.size() - 1})
    EXPECT_EQ(deflate_raw(bytes, room), std::nullopt) << room;
}

TEST(PackedBytes, Varints) {
  ByteColumns columns;
  columns.varint(0);
  columns.varint(127);
  columns.varint(128);
  columns.varint(UINT64_MAX);
  columns.fixed(0x0102030405060708);
  EXPECT_EQ(columns.bytes(),
            (std::vector<std::uint8_t>{
                0,    127,  128, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                0xff, 0xff, 1,   8, 7,    6,    5,    4,    3,    2,    1}));
}

TEST(HtmlDocument, NoNameBecomesMarkup) {
  EXPECT_EQ(markup_text("<a b=\"c\">&amp;"),
            "&lt;a b=&quot;c&quot;&gt;&amp;amp;");
  const nlohmann::json names = {"</script>", "<!--<script>", "\\<"};
  const std::string text = json_in_html(names.dump());
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text), names);
}

TEST(HtmlDocument, MarkersAreReplacedAndNothingElse) {
  HtmlAssets assets;
  assets.page = "<t>@title@</t> n@nonce@ a@b.c <s>@style@</s>\n"
                "@data@\n<j>@script@</j> end@";
  assets.style = "own @nonce@";
  assets.script = "script @data@";
  StringSink out;
  HtmlDocument document(assets, out, "<x>@nonce@", "N1");
  const std::vector<std::uint8_t> bytes = {'f', 'o', 'o'};
  EXPECT_EQ(document.add_blob(bytes), 0u);
  EXPECT_EQ(document.add_blob(bytes), 1u);
  document.finish("{\"a\":\"</script>@script@\"}");
  EXPECT_EQ(
      out.text,
      "<t>&lt;x&gt;@nonce@</t> nN1 a@b.c <s>own @nonce@</s>\n"
      "<script type=\"application/octet-stream\" id=\"blob-0\">Zm9v</script>\n"
      "<script type=\"application/octet-stream\" id=\"blob-1\">Zm9v</script>\n"
      "<script type=\"application/json\" id=\"data\">"
      "{\"a\":\"\\u003c/script>@script@\"}</script>\n"
      "\n<j>script @data@</j> end@");
}

TEST(HtmlDocument, NoncesDiffer) {
  const std::string nonce = make_nonce();
  EXPECT_EQ(nonce.size(), 24u);
  EXPECT_NE(nonce, make_nonce());
}

} // namespace
} // namespace pagetide::tools
