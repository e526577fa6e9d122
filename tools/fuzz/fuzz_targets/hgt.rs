#![no_main]
// A tile has one size only, so the bytes are repeated until it is reached.
const TILE: usize = 2 * 1201 * 1201;
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    landform_fuzz::check("N27E086.hgt", bytes);
    let tile: Vec<u8> = bytes.iter().chain([&0]).copied().cycle().take(TILE).collect();
    landform_fuzz::check("N27E086.hgt", &tile);
});
