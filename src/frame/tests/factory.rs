//! What is placed where, and what is refused.

use super::*;

#[test]
fn a_standard_frame_gets_its_terrain_where_opaque_ground_belongs() {
    let whole = |fields: &str| labels(&drawn(&read(&format!("(nodes: [StandardFrame({fields})])"))).unwrap());
    let preset = |fields: &str| whole(&format!("bare: true, {fields}"));
    assert_eq!(preset(""), ["ShadowMap", "TerrainCaster", "Pass Main", "Terrain", "Sky", "Tonemap"]);
    assert_eq!(preset("shadows: false, sky: false"), ["Pass Main", "Terrain", "Tonemap"]);
    let all = "motion: true, split: true, after_opaque: [Host(name: \"rocks\")], before_tonemap: [Host(name: \"dust\")]";
    assert_eq!(
        preset(all),
        [
            "ShadowMap",
            "TerrainCaster",
            "Pass Main",
            "Terrain",
            "Host 'rocks'",
            "Pass Motion",
            "TerrainVelocity",
            "SkyVelocity",
            "AmbientCombine",
            "Sky",
            "Host 'dust'",
            "Tonemap"
        ]
    );
    assert_eq!(preset("clusters: true, occlusion: true, temporal: true, metered: true"), whole(""));
    assert_eq!(
        preset("metered: true, ev100: 12"),
        whole("clusters: false, occlusion: false, temporal: false, metered: true, ev100: 12")
    );
    assert!(
        !whole("ev100: 12").contains(&"Exposure".to_owned()),
        "what is exposed for a number is not metered"
    );
    assert_eq!(
        whole("shadows: false"),
        [
            "LightClusters",
            "Pass Main",
            "Terrain",
            "Pass Motion",
            "TerrainVelocity",
            "SkyVelocity",
            "AmbientOcclusion",
            "AmbientCombine",
            "Sky",
            "Resolve",
            "Exposure",
            "Tonemap"
        ]
    );
    let own = "after_opaque: [Host(name: \"rocks\"), Terrain(near: 300)]";
    assert_eq!(
        preset(own),
        ["ShadowMap", "TerrainCaster", "Pass Main", "Host 'rocks'", "Terrain", "Sky", "Tonemap"],
        "a terrain that is there is not placed again"
    );
}

#[test]
fn what_stands_beside_a_preset_keeps_its_place_and_what_is_declared_stays() {
    let document = read(
        r#"(targets: [(name: "SceneHdr", format: Rgba32Float, size: Output(2))],
            nodes: [Host(name: "first"), StandardFrame(bare: true), Host(name: "last", writes: ["Output"])])"#,
    );
    let drawn = drawn(&document).unwrap();
    assert_eq!(labels(&drawn).first().unwrap(), "Host 'first'");
    assert_eq!(labels(&drawn).last().unwrap(), "Host 'last'");
    assert_eq!(drawn.target("SceneHdr"), document.target("SceneHdr"));
    assert_eq!(drawn.targets.len(), 3);
}

#[test]
fn a_frame_that_declares_the_planes_is_split() {
    let planes = r#"(name: "SceneAlbedo", format: Rgba8Srgb), (name: "SceneNormals", format: Rgba16Float)"#;
    let third = r#"(name: "SceneSpecular", format: Rgba8Unorm)"#;
    let whole =
        drawn(&read(&format!("(targets: [{planes}, {third}], nodes: [StandardFrame(bare: true)])"))).unwrap();
    let terrain = whole.terrains().next().unwrap();
    assert!(terrain.split(&whole).is_some() && labels(&whole).contains(&"AmbientCombine".to_owned()));
    let node = whole.nodes.iter().find(|node| node.kind() == "Terrain").unwrap();
    let fields: Vec<_> = node.uses(&whole).iter().map(|used| (used.field, used.access)).collect();
    let loaded = ["output", "albedo", "normals", "specular", "depth"].map(|field| (field, Access::Load));
    assert_eq!(fields, [&loaded[..], &[("shadow_atlas", Access::Sample)]].concat());
    assert_eq!(whole.notes(), Vec::<String>::new());

    let half = drawn(&read(&format!("(targets: [{planes}], nodes: [StandardFrame(bare: true)])"))).unwrap();
    assert_eq!(half.terrains().next().unwrap().split(&half), None);
    assert!(!labels(&half).contains(&"AmbientCombine".to_owned()));
    assert!(half.notes()[0].contains("specular 'SceneSpecular' is not declared"), "{:?}", half.notes());
}

#[test]
fn a_frame_of_the_hosts_own_gets_a_caster_and_a_velocity_under_its_names() {
    let drawn = drawn(&read(OWN)).unwrap();
    assert_eq!(
        labels(&drawn),
        [
            "ShadowMap",
            "TerrainCaster",
            "Pass Main",
            "Terrain",
            "Host 'birds'",
            "Pass Motion",
            "TerrainVelocity",
            "Tonemap"
        ]
    );
    let caster = TerrainCaster { atlas: "Sun".to_owned(), caster_patches: Some(64) };
    assert_eq!(drawn.nodes[1], FrameNode::TerrainCaster(caster));
    let names = ["Moved", "Z", "Eye"].map(str::to_owned);
    let [output, depth, view] = names;
    assert_eq!(drawn.nodes[6], FrameNode::TerrainVelocity(TerrainVelocity { output, depth, view }));
}

#[test]
fn what_a_frame_has_not_is_not_added_to() {
    let without = |part: &str| labels(&drawn(&read(&OWN.replace(part, ""))).unwrap());
    let no_motion = without("Pass(stage: Motion, output: \"Moved\", depth: \"Z\", view: \"Eye\"),");
    assert!(!no_motion.contains(&"TerrainVelocity".to_owned()), "{no_motion:?}");
    let shadows = "ShadowMap(atlas: \"Sun\", view: \"Eye\", scene_pass: \"Forward\"),";
    let no_shadows =
        OWN.replace(shadows, "").replace("    (name: \"Sun\", format: Depth16Unorm, size: Shadow),\n", "");
    let no_shadows = drawn(&read(&no_shadows)).unwrap();
    assert!(!labels(&no_shadows).contains(&"TerrainCaster".to_owned()));
    let other_atlas = OWN.replace("shadow_atlas: \"Sun\"", "shadow_atlas: \"Moon\"");
    assert!(!labels(&drawn(&read(&other_atlas)).unwrap()).contains(&"TerrainCaster".to_owned()));
    let terrain = OWN.lines().find(|line| line.contains("Terrain(")).unwrap();
    let no_terrain = read(&OWN.replace(terrain, ""));
    assert_eq!(drawn(&no_terrain).unwrap(), no_terrain, "a frame of the host's own is not given a terrain");
    let quiet = FrameDocument::default();
    assert_eq!(drawn(&quiet).unwrap(), quiet);
}

#[test]
fn a_motion_pass_of_another_view_is_left_alone() {
    let text = OWN.replace("views: [\"Eye\"]", "views: [\"Eye\", \"Mirror\"]").replace(
        "depth: \"Z\", view: \"Eye\"),\n    Tonemap",
        "depth: \"Z\", view: \"Mirror\"),\n    Tonemap",
    );
    assert!(!labels(&drawn(&read(&text)).unwrap()).contains(&"TerrainVelocity".to_owned()));
}

#[test]
fn what_is_there_already_is_not_placed_again() {
    let caster = "TerrainCaster(atlas: \"Sun\", caster_patches: 7),\n    Pass(stage: Main,";
    let velocity = "TerrainVelocity(output: \"Moved\", depth: \"Z\", view: \"Eye\"),\n    Tonemap";
    let text = OWN.replace("Pass(stage: Main,", caster).replace("Tonemap", velocity);
    let document = read(&text);
    assert_eq!(drawn(&document).unwrap(), document);
}

#[test]
fn a_factory_that_comes_too_early_says_which_node_it_came_before() {
    let mut transforms = Transforms::empty();
    transforms.register(TerrainFactory::default()).register(ExpandStandardFrame);
    let error =
        transforms.run(&read("(nodes: [Host(name: \"a\"), StandardFrame()])")).unwrap_err().to_string();
    assert!(
        error.contains("node 2 of 2, StandardFrame") && error.contains("after ExpandStandardFrame"),
        "{error}"
    );
    let mut alone = Transforms::empty();
    assert!(
        alone.run(&read("(nodes: [StandardFrame()])")).unwrap_err().to_string().contains("nothing expanded")
    );
    alone.register(TerrainFactory {
        scalars: QualityScalars { caster_patches: Some(0), ..QualityScalars::default() },
        ..TerrainFactory::default()
    });
    assert!(alone.run(&read("()")).unwrap_err().to_string().contains("terrain factory: caster_patches is 0"));
}

#[test]
fn transforms_run_in_the_order_of_their_registration() {
    struct Add(&'static str);
    impl FrameTransform for Add {
        fn name(&self) -> &'static str {
            self.0
        }
        fn apply(&self, document: &mut FrameDocument) -> Result<()> {
            let node = HostNode { name: self.0.to_owned(), ..HostNode::default() };
            document.nodes.push(FrameNode::Host(node));
            Ok(())
        }
    }
    let mut transforms = Transforms::default();
    transforms.register(Add("one")).register(Add("two"));
    assert_eq!(labels(&transforms.run(&read("()")).unwrap()), ["Host 'one'", "Host 'two'"]);
    assert_eq!(format!("{transforms:?}"), r#"["StandardFrame", "one", "two"]"#);
}

#[test]
fn numbers_are_the_documents_then_the_games_then_the_tiers() {
    let document = drawn(&read(
        "(nodes: [StandardFrame(shadow_tile: 256, after_opaque: [Terrain(near: 400, caster_patches: 32)])])",
    ))
    .unwrap();
    let scalars = QualityScalars {
        shadow_tile: Some(512),
        shadow_cascades: Some(1),
        near: Some(9.0),
        ..Default::default()
    };
    let factory = TerrainFactory { tier: Tier::Low, scalars };
    let numbers = factory.numbers(&document, document.terrains().next().unwrap());
    assert_eq!(
        (numbers.shadow_tile, numbers.near, numbers.caster_patches),
        (256, 400.0, 32),
        "the document's"
    );
    assert_eq!(numbers.shadow_cascades, 1, "the game's");
    assert_eq!(numbers.shadow_distance, Tier::Low.numbers().shadow_distance, "the tier's");
    let atlas = document.target("ShadowAtlas").unwrap();
    assert_eq!(document.target_size(atlas, [64, 64], &factory.defaults()), Some([256, 256]));
    assert_eq!(TerrainFactory::default().defaults(), Tier::High.numbers());
}

#[test]
fn what_is_not_there_is_named_with_the_node_that_wants_it() {
    let says = |from: &str, to: &str, parts: &[&str]| {
        assert!(OWN.contains(from), "{from}");
        let error = drawn(&read(&OWN.replace(from, to))).unwrap_err().to_string();
        parts.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
    };
    says(
        "Terrain(output: \"Light\"",
        "Terrain(output: \"Lite\"",
        &["Terrain: its output 'Lite' is no target"],
    );
    says(
        "Terrain(output: \"Light\", depth: \"Z\"",
        "Terrain(output: \"Light\"",
        &["Terrain", "depth 'SceneDepth'"],
    );
    says(
        "view: \"Eye\", scene_pass: \"Forward\", shadow_atlas",
        "shadow_atlas",
        &["Terrain", "no view 'Camera'"],
    );
    says("Tonemap(input: \"Light\")", "Tonemap()", &["Tonemap: its input 'SceneHdr' is no target"]);
    says(
        "Terrain(output: \"Light\"",
        "Terrain(output: \"Z\"",
        &["Terrain: its output 'Z' is depth", "a colour format"],
    );
    says(
        "Terrain(output: \"Light\", depth: \"Z\"",
        "Terrain(output: \"Light\", depth: \"Moved\"",
        &["'Moved' is colour"],
    );
    says(
        "writes: [\"Light\", \"Z\"]",
        "writes: [\"Light\"], reads: [\"Light\"]",
        &["writes and its reads at once"],
    );
    says("Tonemap(input: \"Light\")", "AmbientCombine(output: \"Light\")", &["its albedo 'SceneAlbedo'"]);
    let no_plane = "(name: \"Moved\", format: Rg16Float),";
    says(no_plane, "", &["node 6 of 7, Pass Motion: its output 'Moved' is no target"]);
    says(
        "(name: \"Sun\", format: Depth16Unorm, size: Shadow),",
        "",
        &["ShadowMap: its atlas 'Sun' is no target"],
    );
    says("size: Shadow", "size: Pixels(8, 8)", &["target 4 of 4: 'Sun'", "write size: Shadow"]);
}

#[test]
fn what_stands_in_the_wrong_place_is_refused() {
    let says = |document: &FrameDocument, parts: &[&str]| {
        let error = document.check().unwrap_err().to_string();
        parts.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
    };
    let moved = |from: usize, to: usize| {
        let mut document = drawn(&read(OWN)).unwrap();
        let node = document.nodes.remove(from);
        document.nodes.insert(to, node);
        document
    };
    says(&moved(1, 0), &["node 1 of 8, TerrainCaster: its atlas 'Sun' holds nothing yet"]);
    says(&moved(1, 3), &["node 4 of 8, TerrainCaster: its atlas 'Sun' was sampled by node 3 of 8, Terrain"]);
    says(&moved(6, 5), &["TerrainVelocity: its output 'Moved' holds nothing yet"]);
    says(&moved(3, 2), &["Terrain: its output 'Light' holds nothing yet"]);
    for (at, part) in [
        (0, "renders the atlas 'Sun' as well"),
        (1, "draws into 'Sun' as well"),
        (3, "draws the view 'Eye' into 'Light' as well"),
        (6, "draws into 'Moved' as well"),
    ] {
        let mut twice = drawn(&read(OWN)).unwrap();
        twice.nodes.insert(at + 1, twice.nodes[at].clone());
        says(&twice, &[part]);
    }
    let moon = "(name: \"Moon\", format: Depth16Unorm, host: true)";
    let crossed = OWN.replace("targets: [", &format!("targets: [{moon},"));
    let crossed = read(&crossed.replace("shadow_atlas: \"Sun\"", "shadow_atlas: \"Moon\""));
    says(
        &crossed,
        &["Terrain: the cascades under its scene_pass 'Forward' lie in 'Sun'", "shadow_atlas 'Moon'"],
    );
    // Lamps are sorted before anything is lit by them, and once.
    let mut sorted =
        drawn(&read("(nodes: [StandardFrame(bare: true, clusters: true, shadows: false)])")).unwrap();
    let clusters = sorted.nodes.remove(0);
    for (at, early) in [(1, "node 1 of 5, Pass Main"), (2, "node 1 of 5, Pass Main")] {
        let mut late = sorted.clone();
        late.nodes.insert(at, clusters.clone());
        let own =
            format!("node {} of 5, LightClusters: {early} before it is lit by the lamps of 'Camera'", at + 1);
        says(&late, &[&own, "stand it before all that is"]);
    }
    // What another view sees is lit by other lamps.
    let mut other = sorted.clone();
    other.views.push("Mirror".to_owned());
    let of_mirror = crate::frame::LightClusters { view: "Mirror".to_owned() };
    other.nodes.push(FrameNode::LightClusters(of_mirror));
    other.check().unwrap();
    sorted.nodes.splice(0..0, [clusters.clone(), clusters]);
    says(&sorted, &["other LightClusters are those of 'Camera' as well"]);
    let two = read("(nodes: [StandardFrame(), StandardFrame()])");
    assert!(drawn(&two).unwrap_err().to_string().contains("a second StandardFrame"));
    let mut late = drawn(&read("(nodes: [StandardFrame()])")).unwrap();
    late.nodes.push(FrameNode::StandardFrame(StandardFrame::default()));
    assert!(drawn(&late).unwrap_err().to_string().contains("a second StandardFrame"));
}

#[test]
fn what_the_host_does_not_bind_is_named_with_the_node_that_uses_it() {
    let text =
        OWN.replace("(name: \"Z\", format: Depth32Float)", "(name: \"Z\", format: Depth32Float, host: true)");
    let document = drawn(&read(&text)).unwrap();
    let all = |_: &str| true;
    document.check_bound(all, all).unwrap();
    document.check_bound(all, |name| name == "Z").unwrap();
    let error = document.check_bound(all, |_| false).unwrap_err().to_string();
    assert!(error.contains("node 3 of 8, Pass Main: its depth 'Z' is the host's"), "{error}");
    let error = document.check_bound(|_| false, all).unwrap_err().to_string();
    assert!(error.contains("node 1 of 8, ShadowMap: the host bound no view 'Eye'"), "{error}");
}

#[test]
fn lit_inputs_are_what_the_document_and_the_host_provide() {
    let nothing = |_: &str| false;
    let document = drawn(&read(OWN)).unwrap();
    let terrain = document.terrains().next().unwrap();
    let inputs = terrain.lit_inputs(&document, SceneConstants::WithCamera, nothing);
    assert_eq!(preview_reason(&inputs, &terrain.lit_names()), None);
    let bare = drawn(&read("(nodes: [StandardFrame(shadows: false)])")).unwrap();
    let terrain = bare.terrains().next().unwrap();
    let inputs = terrain.lit_inputs(&bare, SceneConstants::WithCamera, nothing);
    assert_eq!(inputs, LitInputs { scene: SceneConstants::WithCamera, cascades: false, atlas: false });
    let inputs = terrain.lit_inputs(&bare, SceneConstants::Missing, |name| name == "ForwardPlus");
    assert_eq!(inputs, LitInputs { scene: SceneConstants::Missing, cascades: true, atlas: false });
}
