#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <syncmanager.h>

// A handle that ends itself, and an error that is thrown: all that C++ needs around the C interface.
template <auto end> struct Ends {
    template <typename T> void operator()(T *handle) const { end(handle); }
};
using Client = std::unique_ptr<sm_client, Ends<sm_close>>;
using Collection = std::unique_ptr<sm_collection, Ends<sm_collection_remove>>;
using Text = std::unique_ptr<char, Ends<sm_string_free>>;

static int32_t check(int32_t status) {
    if (status < 0) throw std::runtime_error(sm_last_error());
    return status;
}

template <typename Owner, typename Make> Owner made(Make make) {
    typename Owner::pointer handle = nullptr;
    check(make(&handle));
    return Owner(handle);
}

// ? stands for letters that a terminal may obey.
static void print(std::string_view json) {
    for (char letter : json) std::cout << (letter >= ' ' && letter <= '~' ? letter : '?');
    std::cout << std::endl;
}

int main(int argc, char **argv) try {
    auto client = made<Client>([&](sm_client **out) { return sm_setup(argc > 1 ? argv[1] : "{}", out); });
    auto channels = made<Collection>(
        [&](sm_collection **out) { return sm_channel_collection_new(client.get(), R"({"limit":20})", out); });
    check(sm_collection_set_callback(
        channels.get(), [](void *, const char *json, size_t length) { print({json, length}); }, nullptr,
        nullptr));
    check(sm_connect(client.get(), nullptr, nullptr, nullptr, nullptr));
    check(sm_fetch(channels.get(), SM_NEXT, nullptr, nullptr, nullptr, nullptr));
    while (check(sm_dispatch(client.get(), 0, 5000)) > 0) continue; // until nothing happened for 5 s
    auto shown = made<Text>([&](char **out) { return sm_collection_snapshot(channels.get(), out); });
    print(shown.get());
} catch (const std::exception &error) {
    std::cerr << error.what() << std::endl;
    return 1;
}
