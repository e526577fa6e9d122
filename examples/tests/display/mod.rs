//! What tests of the valley share: a display that nobody sees, the example, and a small map for it.
#![allow(dead_code, reason = "no test needs all of it")]

use landform_harness::Image8;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A display that nobody sees.
pub(crate) struct Xvfb {
    server: Child,
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

pub(crate) const SCREEN: (usize, usize) = (1280, 800);

impl Xvfb {
    /// Starts one, or says that there is none to be had.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let folder = folder(test);
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0"]);
        command.arg(format!("{}x{}x24", SCREEN.0, SCREEN.1)).arg("-fbdir").arg(&folder);
        let Ok(mut server) = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
            eprintln!("SKIPPED: Xvfb is not installed, so {test} opened NO WINDOW; tools/setup installs it");
            return None;
        };
        let mut number = String::new();
        let stdout = server.stdout.take().expect("the server's output is piped");
        BufReader::new(stdout).read_line(&mut number).expect("the server says which display it is");
        Some(Self { server, name: format!(":{}", number.trim()), folder })
    }

    /// What the display shows. The server keeps its picture in a file of the X window dump format.
    pub(crate) fn photograph(&self) -> Image8 {
        let bytes =
            std::fs::read(self.folder.join("Xvfb_screen0")).expect("the server's frame buffer can be read");
        let word = |index: usize| {
            let bytes = bytes[4 * index..4 * index + 4].try_into().expect("a word has four bytes");
            u32::from_be_bytes(bytes) as usize
        };
        let (header, width, height, bits, line, colors) =
            (word(0), word(4), word(5), word(11), word(12), word(19));
        assert_eq!((width, height, bits), (SCREEN.0, SCREEN.1, 32));
        let start = header + 12 * colors;
        let mut data = Vec::with_capacity(4 * width * height);
        for row in bytes[start..].chunks(line).take(height) {
            for &[blue, green, red, _] in row[..4 * width].as_chunks::<4>().0 {
                data.extend([red, green, blue, 255]);
            }
        }
        Image8 { width: width as u32, height: height as u32, data }
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        self.server.kill().and_then(|()| self.server.wait()).expect("the server ends");
    }
}

/// An empty folder for a test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for the test's files");
    folder
}

/// True where a program is newer than its sources: `cargo test --test windowed` does not build the example.
fn is_fresh(exe: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let sources =
        ["valley", "valley/window", "../tools/cli/src", "../tools/cli/src/lit", "../tools/cli/src/scene"];
    let sources = sources.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let mut files = sources.into_iter().filter_map(|f| f.read_dir().ok()).flatten();
    let Some(built) = changed(exe) else { return false };
    files.all(|file| file.is_ok_and(|file| file.path().is_dir() || changed(&file.path()) <= Some(built)))
}

/// The example, without a display, with the validation layer and with files in a folder.
pub(crate) fn valley(folder: &Path) -> Command {
    let exe = std::env::current_exe().expect("the test knows where it is");
    let exe = exe.ancestors().nth(2).expect("tests are in target/PROFILE/deps").join("examples/valley");
    assert!(is_fresh(&exe), "{} is not there or old: cargo build --example valley", exe.display());
    let mut command = Command::new(exe);
    command.arg("--out").arg(folder).args(["--validation"]);
    command.env("XDG_CACHE_HOME", folder).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.env_remove("WAYLAND_SOCKET").stdin(Stdio::null());
    command
}

/// The arguments for a small map that is at once there: a valley from north to south between two ridges.
pub(crate) fn small_map(folder: &Path) -> Vec<String> {
    const SIDE: u32 = 257;
    let file = folder.join("valley.r16");
    let height = |i: u32| {
        let (x, z) = (f64::from(i % SIDE) / 256.0, f64::from(i / SIDE) / 256.0);
        let across = (2.0 * x - 1.0).powi(2) + 0.04 * (40.0 * x).sin() * (31.0 * z).cos();
        (across.clamp(0.0, 1.0) * 65535.0) as u16
    };
    let bytes: Vec<u8> = (0..SIDE * SIDE).flat_map(|i| height(i).to_le_bytes()).collect();
    std::fs::write(&file, bytes).expect("the map can be written");
    let file = file.display().to_string();
    ["--heightmap", &file, "--spacing", "4", "--range", "0,300"].map(String::from).to_vec()
}

/// Waits for an end, but not for ever.
pub(crate) fn finish(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().expect("the example can be waited for").is_none() {
        if start.elapsed() > Duration::from_secs(180) {
            child.kill().expect("the example can be killed");
            panic!("the valley did not end: {:?}", child.wait_with_output());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("the example's output")
}

pub(crate) fn run(command: &mut Command) -> Output {
    finish(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the example starts"))
}

#[track_caller]
pub(crate) fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr));
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Sky in the upper part, ground in the lower, and neither in one colour.
#[track_caller]
pub(crate) fn assert_ground_and_sky(
    name: &str,
    image: &Image8,
    columns: std::ops::Range<u32>,
    rows: std::ops::Range<u32>,
) {
    let count = |rows: std::ops::Range<u32>, is: &dyn Fn([u8; 4]) -> bool| {
        let pixels = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
        let all = pixels.clone().count();
        pixels.filter(|&(x, y)| is(image.pixel(x, y))).count() as f64 / all as f64
    };
    let middle = rows.start + (rows.end - rows.start) / 2;
    let is_sky = |[red, _, blue, _]: [u8; 4]| blue > red.saturating_add(15) && blue > 120;
    let sky = count(rows.start..middle, &is_sky);
    let ground = count(middle..rows.end, &|pixel| !is_sky(pixel) && pixel[..3] != [0, 0, 0]);
    assert!(
        sky > 0.12 && ground > 0.7,
        "{name}: {sky:.2} of the upper half is sky, {ground:.2} of the lower ground"
    );
    let mut colors: Vec<_> = image.pixels().collect();
    colors.sort_unstable();
    colors.dedup();
    assert!(colors.len() > 100, "{name} has {} colours", colors.len());
}
