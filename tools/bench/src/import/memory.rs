//! How much memory an import takes at its peak, as the system counts it: in a process of its own, so that nothing that
//! another one gave back is taken for it.

use landform::import::{Heightmap, ImportOptions};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Bytes that are resident at most while a file is imported, beyond those of the program; none where the system does not
/// say.
pub(super) fn peak_of(file: &Path) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).arg("import-peak").arg(file).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Imports a file and prints the peak.
pub(crate) fn print_peak(file: &Path) -> Result<(), String> {
    let before = status("VmRSS:").ok_or("the system does not say how much memory is resident")?;
    let options = ImportOptions::default().with_range(0.0, 2400.0);
    let imported = Heightmap::read(file, &options).and_then(Heightmap::into_field);
    let (field, _) = imported.map_err(|error| error.to_string())?;
    let peak = status("VmHWM:").ok_or("the system does not say how much memory was resident")?;
    drop(field);
    println!("{}", peak.saturating_sub(before));
    Ok(())
}

fn status(key: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kilobytes)
}
