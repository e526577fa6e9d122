//! The transfer function of sRGB, IEC 61966-2-1, in both directions.

/// What is stored → light, both 0…1.
pub fn linear(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// Light → what is stored, both 0…1.
pub fn encoded(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}
