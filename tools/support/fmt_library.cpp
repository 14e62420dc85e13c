//===- fmt_library.cpp - fmt, for a static program ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fmt's functions that are not inline. Debian has them in no archive.

#include <fmt/format-inl.h>

// The templates that <fmt/format.h> declares as made elsewhere.
FMT_BEGIN_NAMESPACE
namespace detail {
template auto decimal_point_impl(locale_ref) -> char;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
#if FMT_VERSION >= 100000
template void vformat_to(buffer<char> &, string_view, vformat_args<>::type,
                         locale_ref);
#endif
namespace dragonbox {
template auto to_decimal(float) noexcept -> decimal_fp<float>;
template auto to_decimal(double) noexcept -> decimal_fp<double>;
} // namespace dragonbox
} // namespace detail
FMT_END_NAMESPACE
