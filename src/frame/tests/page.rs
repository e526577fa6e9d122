//! Holds docs/frame.md against the code.

use super::*;

const PAGE: &str = include_str!("../../../docs/frame.md");

#[test]
fn the_documents_of_the_page_are_drawn() {
    let documents: Vec<_> =
        PAGE.split("```ron\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(documents.len(), 3);
    for text in documents {
        let drawn = drawn(&read(text)).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(labels(&drawn).contains(&"TerrainCaster".to_owned()), "{text}");
        assert_eq!(drawn.notes(), Vec::<String>::new());
    }
}

#[test]
fn the_table_of_the_page_is_that_of_the_tiers() {
    let row = |name: &str| -> Vec<f64> {
        let quality = PAGE.split("## Quality").nth(1).unwrap();
        let row =
            quality.lines().find(|line| line.starts_with(&format!("| `{name}`")) && line.contains(" to "));
        let row = row.unwrap_or_else(|| panic!("no row of {name}"));
        row.split('|').skip(3).filter_map(|cell| cell.trim().parse().ok()).collect()
    };
    let of = |number: fn(QualityNumbers) -> f64| Tier::ALL.map(|tier| number(tier.numbers())).to_vec();
    assert_eq!(row("pixel_error"), of(|numbers| numbers.pixel_error));
    assert_eq!(row("near"), of(|numbers| numbers.near));
    assert_eq!(row("shadow_cascades"), of(|numbers| numbers.shadow_cascades.into()));
    assert_eq!(row("shadow_tile"), of(|numbers| numbers.shadow_tile.into()));
    assert_eq!(row("shadow_distance"), of(|numbers| numbers.shadow_distance));
    assert_eq!(row("caster_patches"), of(|numbers| numbers.caster_patches.into()));
    assert_eq!(row("terrain_streaming_megabytes"), of(|numbers| numbers.terrain_streaming_megabytes.into()));
}

#[test]
fn the_words_of_the_page_are_those_of_the_code() {
    for format in TargetFormat::ALL {
        assert!(PAGE.contains(&format!("`{format:?}`")), "{format:?}");
    }
    for code in [PREVIEW_EVENT, TERRAIN_EVENT] {
        assert!(PAGE.contains(&format!("code {code}")), "{code}");
    }
}

/// Every sentence that the page quotes is said, to the letter, of a document that is wrong in that way.
#[test]
fn the_errors_of_the_page_are_said() {
    let mut said = Vec::new();
    let patches = "(nodes: [\n  Sky(),\n\n  Terrain(caster_patches: 999)])";
    said.push(FrameDocument::from_ron(patches).unwrap_err().to_string());
    let ground = "Terrain(output: \"Light\"";
    let moon = "targets: [(name: \"Moon\", format: Depth16Unorm, host: true),";
    let caster = "TerrainCaster(atlas: \"Sun\"), Host(name: \"birds\"";
    let terrain = OWN.lines().find(|line| line.contains("Terrain(")).unwrap();
    let velocity = "TerrainVelocity(output: \"Moved\", depth: \"Z\", view: \"Eye\"),\n    Terrain(";
    for changes in [
        &[(ground, "Terrain(output: \"Lite\"")][..],
        &[("view: \"Eye\", scene_pass: \"Forward\", shadow_atlas", "scene_pass: \"Forward\", shadow_atlas")],
        &[(ground, "Terrain(output: \"Z\"")],
        &[("writes: [\"Light\", \"Z\"]", "writes: [\"Light\"], reads: [\"Light\"]")],
        &[("Terrain(", velocity)],
        &[("Host(name: \"birds\"", caster)],
        &[("Host(name: \"birds\"", "LightClusters(view: \"Eye\"), Host(name: \"birds\"")],
        &[("targets: [", moon), ("shadow_atlas: \"Sun\"", "shadow_atlas: \"Moon\"")],
        &[(terrain, &terrain.repeat(2))],
    ] {
        let text = changes.iter().fold(OWN.to_owned(), |text, (from, to)| text.replace(from, to));
        assert_ne!(text, OWN);
        said.push(drawn(&read(&text)).unwrap_err().to_string());
    }
    let mut early = Transforms::empty();
    early.register(TerrainFactory::default());
    said.push(early.run(&read("(nodes: [Sky(), StandardFrame()])")).unwrap_err().to_string());
    let given =
        drawn(&read(&OWN.replace("format: Depth32Float", "format: Depth32Float, host: true"))).unwrap();
    said.push(given.check_bound(|_| false, |_| true).unwrap_err().to_string());
    said.push(given.check_bound(|_| true, |_| false).unwrap_err().to_string());

    let page = PAGE.split_whitespace().collect::<Vec<_>>().join(" ");
    let quotes: Vec<_> = page.split("*\"").skip(1).map(|rest| rest.split("\"*").next().unwrap()).collect();
    assert_eq!(quotes.len(), said.len());
    for quote in quotes {
        assert!(said.iter().any(|said| said.contains(quote)), "nothing says \"{quote}\": {said:#?}");
    }
}
