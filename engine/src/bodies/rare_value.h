// A value that few of many objects have.
#pragma once

#include <memory>
#include <new>

namespace substep::detail {

/// A value, or none, for which an object that has none takes a pointer. Copies are deep.
template <class T>
class RareValue {
public:
    RareValue() = default;
    RareValue(RareValue&&) noexcept = default;
    RareValue& operator=(RareValue&&) noexcept = default;
    RareValue(const RareValue& other) { *this = other; }
    RareValue& operator=(const RareValue& other) {
        if (other.value_ == nullptr) {
            value_.reset();
        } else if (value_ == nullptr) {
            value_ = std::make_unique<T>(*other.value_);
        } else {
            *value_ = *other.value_; // an object that is restored each frame allocates nothing
        }
        return *this;
    }
    ~RareValue() = default;

    explicit operator bool() const noexcept { return value_ != nullptr; }
    const T& operator*() const noexcept { return *value_; }
    T& operator*() noexcept { return *value_; }

    /// The value, made where there was none. Allocates then.
    T& made() {
        if (value_ == nullptr) {
            value_ = std::make_unique<T>();
        }
        return *value_;
    }
    /// The same, where nothing may be thrown: false where there is no memory for it.
    bool make() noexcept {
        try {
            made();
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

private:
    std::unique_ptr<T> value_;
};

} // namespace substep::detail
