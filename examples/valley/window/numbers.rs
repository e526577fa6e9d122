//! The numbers of the panel.

use landform_cli::report::FrameReport;

/// The lines of the overlay.
pub(crate) fn lines(frame: &FrameReport) -> Vec<(&'static str, String)> {
    let raised = if frame.near_raised { " (legal minimum)" } else { "" };
    let gpu = frame.gpu_ms.map_or_else(|| "not measured".into(), |ms| format!("{ms:.2} ms"));
    vec![
        ("nodes", format!("{} drawn, {} visited, {} culled", frame.nodes, frame.visited, frame.culled)),
        ("triangles", thousands(frame.triangles)),
        ("tiles", frame.tiles.to_string()),
        ("uploaded", bytes(frame.upload_bytes)),
        ("CPU", format!("{:.0} µs", frame.cpu_us)),
        ("GPU", gpu),
        ("near", format!("{:.0} m{raised}", frame.near)),
        ("memory", bytes(frame.device_bytes)),
    ]
}

/// A number with a narrow space between its thousands.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let grouped = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    grouped.collect::<Vec<_>>().join(" ")
}

fn bytes(number: u64) -> String {
    match number {
        0..10_000 => format!("{number} B"),
        10_000..1_000_000 => format!("{:.1} kB", number as f64 / 1e3),
        _ => format!("{:.1} MB", number as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567).replace(|c: char| !c.is_ascii_digit(), "'"), "1'234'567");
        assert_eq!(bytes(9_999), "9999 B");
        assert_eq!(bytes(12_345), "12.3 kB");
        assert_eq!(bytes(45_600_000), "45.6 MB");
    }
}
