//! Which library is loaded.

use std::ffi::CStr;

/// The version of the library that is loaded, as `0.1.0`. Since 0.1.
#[doc(alias = "sm_version_string")]
pub fn version() -> &'static str {
    // SAFETY: a static text.
    unsafe { CStr::from_ptr(syncmanager_sys::sm_version_string()) }.to_str().unwrap_or_default()
}

/// Major and minor version of the interface of the library that is loaded, as `major << 16 | minor`. Since 0.1.
#[doc(alias = "sm_api_version")]
pub fn api_version() -> i32 {
    // SAFETY: it takes nothing and gives a number.
    unsafe { syncmanager_sys::sm_api_version() }
}
