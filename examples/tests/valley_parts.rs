//! The unit tests of the valley's modules. Cargo runs no tests inside an example that it also builds as a program, so
//! they are compiled here once more.
#![allow(dead_code, reason = "only the modules' own tests are run here")]

#[path = "../valley/args.rs"]
mod args;
#[path = "../valley/cache.rs"]
mod cache;
#[path = "../valley/daylight.rs"]
mod daylight;
#[path = "../valley/flight.rs"]
mod flight;
#[path = "../valley/flight_path.rs"]
mod flight_path;
#[path = "../valley/frame_args.rs"]
mod frame_args;
#[path = "../valley/map.rs"]
mod map;
#[path = "../valley/props/mod.rs"]
mod props;
#[path = "../valley/record.rs"]
mod record;
#[path = "../valley/textures.rs"]
mod textures;
#[path = "../valley/viewpoint.rs"]
mod viewpoint;

#[path = "../valley/window"]
mod window {
    mod frame_panel;
    mod keys;
    mod mix;
    mod numbers;
    mod script;
}
