#pragma once

#include <cstdint>

namespace lab::exercise {

/// The type of a buffer's elements, as it travels.
enum class element_type : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

template <class T>
struct element_type_of;  // no definition: a buffer holds plain numbers

// clang-format off
template <> struct element_type_of<std::int8_t>   { static constexpr auto value = element_type::i8; };
template <> struct element_type_of<std::uint8_t>  { static constexpr auto value = element_type::u8; };
template <> struct element_type_of<std::int16_t>  { static constexpr auto value = element_type::i16; };
template <> struct element_type_of<std::uint16_t> { static constexpr auto value = element_type::u16; };
template <> struct element_type_of<std::int32_t>  { static constexpr auto value = element_type::i32; };
template <> struct element_type_of<std::uint32_t> { static constexpr auto value = element_type::u32; };
template <> struct element_type_of<std::int64_t>  { static constexpr auto value = element_type::i64; };
template <> struct element_type_of<std::uint64_t> { static constexpr auto value = element_type::u64; };
template <> struct element_type_of<float>         { static constexpr auto value = element_type::f32; };
template <> struct element_type_of<double>        { static constexpr auto value = element_type::f64; };
// clang-format on

}  // namespace lab::exercise
