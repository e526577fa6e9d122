//! landform's benchmarks. `landform-bench cpu` and `landform-bench gpu` print JSON; `--table` prints the same for people.
//! What is measured, and what it is held against, is in `docs/performance.md`.

mod cpu;
mod timing;
mod workload;

fn main() {
    println!(
        "{}",
        serde_json::to_string_pretty(&cpu::run(std::env::args().any(|a| a == "--quick")).unwrap()).unwrap()
    );
}
