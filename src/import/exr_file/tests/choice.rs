//! Which channel is the map.

use super::made::{Kind, Made, file};
use super::*;

fn made(names: &[&'static str]) -> Made {
    let channels: Vec<_> = names.iter().map(|&name| (name, Kind::Float)).collect();
    Made::new((5, 4), &channels)
}

/// The channel that is taken, and what the report says of it.
fn taken(names: &[&'static str], options: &ImportOptions) -> (&'static str, Vec<String>) {
    let made = made(names);
    let map = sound(&made, options);
    let is = |channel: &(&str, Kind, Vec<f32>)| map.value(Sample::new(1, 1)) == Some(f64::from(channel.2[6]));
    let report = map.report();
    let lines = report.assumptions.iter().chain(&report.warnings).filter(|line| line.contains("channel"));
    (made.channels.iter().find(|&channel| is(channel)).unwrap().0, lines.cloned().collect())
}

#[test]
fn the_likely_channel_is_taken_and_told() {
    for name in ["Y", "R", "anything", "a.b.c"] {
        assert_eq!(taken(&[name], &plain()), (name, vec![]), "the only one");
    }
    for (names, wanted) in [
        (&["A", "B", "G", "R", "Y"][..], "Y"),
        (&["A", "B", "G", "R", "Z"], "Z"),
        (&["A", "HEIGHT", "a.b"], "HEIGHT"),
        (&["mask", "terrain.Elevation", "water"], "terrain.Elevation"),
        (&["a.height.R", "b.depth", "z.b"], "b.depth"),
        (&["Y", "height"], "Y"),
    ] {
        let (name, lines) = taken(names, &plain());
        assert_eq!((name, lines.len()), (wanted, 1), "{names:?}");
        assert!(lines[0].starts_with(&format!("channel `{wanted}` of `")), "{lines:?}");
        assert!(lines[0].contains("(--channel, or ImportOptions::with_channel)"), "{lines:?}");
    }
}

#[test]
fn red_stands_for_a_colour_picture_with_a_doubt_where_it_is_one() {
    let (name, lines) = taken(&["A", "B", "G", "R"], &plain());
    assert_eq!(name, "R");
    assert_eq!(
        lines,
        [
            "channel `R` of `A`, `B`, `G`, `R`; state another (--channel, or ImportOptions::with_channel)",
            "the channels `R`, `G` and `B` differ, as those of a colour picture do; what is in `R` may be no heights"
        ]
    );
    let mut grey = made(&["B", "G", "R"]);
    let red = grey.channels[2].2.clone();
    grey.channels[0].2.clone_from(&red);
    grey.channels[1].2.clone_from(&red);
    assert!(sound(&grey, &plain()).report().warnings.iter().all(|line| !line.contains("differ")));
    // A colour that is stated is no guess.
    assert_eq!(taken(&["B", "G", "R"], &plain().with_channel("G")), ("G", vec![]));
    grey.channels[1].1 = Kind::Half;
    assert!(sound(&grey, &plain()).report().warnings.iter().any(|line| line.contains("differ")));
}

#[test]
fn a_channel_is_stated_by_its_name_in_any_case() {
    let names = ["A", "Y", "terrain.Y", "terrain.y"];
    for (stated, wanted) in [("A", "A"), ("a", "A"), ("Y", "Y"), ("y", "Y"), ("terrain.y", "terrain.y")] {
        assert_eq!(taken(&names, &plain().with_channel(stated)), (wanted, vec![]));
    }
    let refused = |stated: &str| refusal(&made(&names).bytes(), &plain().with_channel(stated));
    let listed = "it has `A`, `Y`, `terrain.Y`, `terrain.y`";
    assert_eq!(refused("height"), format!("a.exr: there is no channel `height`; {listed}"));
    assert_eq!(refused("TERRAIN.Y"), format!("a.exr: several channels may be `TERRAIN.Y`; {listed}"));
}

#[test]
fn no_channel_is_guessed_among_equals() {
    for names in [&["G", "R"][..], &["a", "b"], &["a.Z", "b.height"], &["l.B", "l.G", "l.R"]] {
        let text = refusal(&made(names).bytes(), &plain());
        assert!(text.contains("state one (--channel, or ImportOptions::with_channel); it has `"), "{text}");
    }
    let many: Vec<String> = (10..40).map(|n| format!("c{n}")).collect();
    let many: Vec<&'static str> = many.into_iter().map(|name| &*name.leak()).collect();
    let text = refusal(&made(&many).bytes(), &plain());
    assert!(text.contains("`c29` and others") && !text.contains("c30"), "{text}");
}

#[test]
fn the_first_part_with_such_a_channel_is_taken() {
    let part = |name: &'static str, names: &[&'static str]| Made { name, ..made(names) };
    let parts = [part("paint", &["B", "G", "R"]), part("ground", &["Y"]), part("water", &["Y", "x"])];
    let bytes = file(&parts, true);
    let map = |options: &ImportOptions| read(&bytes, options).unwrap_or_else(|error| panic!("{error}"));
    let first = map(&plain());
    holds(&first, &parts[1], 0, whole(&parts[1]));
    let assumed = first.report().assumptions.join("\n");
    assert!(
        assumed.contains("channel `ground.Y` of `paint.B`, `paint.G`, `paint.R`, `ground.Y`"),
        "{assumed}"
    );
    for (stated, part, channel) in [("Y", 1, 0), ("water.Y", 2, 0), ("X", 2, 1), ("paint.r", 0, 2)] {
        holds(&map(&plain().with_channel(stated)), &parts[part], channel, whole(&parts[part]));
    }
    assert!(refusal(&bytes, &plain().with_channel("Z")).contains("`water.x`"));
    // A file of one part may number its blocks too, and a part may be tiled or deep.
    let only = file(&parts[..1], true);
    holds(&read(&only, &plain()).unwrap(), &parts[0], 2, whole(&parts[0]));
    let mut mixed = parts.clone();
    (mixed[0].kind, mixed[0].channels[2].0) = ("deepscanline", "Y");
    (mixed[1].tiles, mixed[1].packing) = (Some((4, 2)), 4);
    for _ in 0..3 {
        mixed.rotate_left(1);
        let ground = mixed.iter().position(|part| part.name == "ground").unwrap();
        let options = plain().with_channel("ground.Y");
        holds(&read(&file(&mixed, true), &options).unwrap(), &mixed[ground], 0, whole(&mixed[ground]));
    }
}
