#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| landform_fuzz::check_texture(bytes));
