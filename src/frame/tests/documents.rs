//! What holds for every document.

use super::*;
use proptest::prelude::*;

fn any_scalar(range: std::ops::Range<f64>) -> impl Strategy<Value = Option<f64>> {
    prop::option::of(range)
}

fn any_preset() -> impl Strategy<Value = StandardFrame> {
    let seam = || prop::collection::vec(any_addition(), 0..3);
    let numbers =
        (prop::option::of(1u32..5), prop::option::of(16u32..8193), any_scalar(1.0..1e6), -16f32..24.0);
    (any::<[bool; 5]>(), any::<[Option<bool>; 4]>(), numbers, seam(), seam()).prop_map(
        |(flags, parts, numbers, after_opaque, before_tonemap)| {
            let [shadows, sky, motion, split, bare] = flags;
            let [clusters, occlusion, temporal, metered] = parts;
            let (shadow_cascades, shadow_tile, shadow_distance, ev100) = numbers;
            StandardFrame {
                shadows,
                sky,
                motion,
                split,
                bare,
                clusters,
                occlusion,
                temporal,
                metered,
                ev100: Some(ev100),
                shadow_cascades,
                shadow_tile,
                shadow_distance,
                after_opaque,
                before_tonemap,
            }
        },
    )
}

/// What a person adds to a preset: mostly right, and now and then named wrong.
fn any_addition() -> impl Strategy<Value = FrameNode> {
    let name =
        prop::sample::select(vec!["SceneHdr", "SceneHdr", "SceneHdr", "SceneMotion", "Glass", "Output"]);
    let host = ("[a-z\"\\\\ü]{1,9}", name).prop_map(|(host, target)| {
        FrameNode::Host(HostNode { name: host, writes: vec![target.to_owned()], ..HostNode::default() })
    });
    prop_oneof![host, any_terrain().prop_map(FrameNode::Terrain)]
}

fn any_terrain() -> impl Strategy<Value = TerrainNode> {
    let numbers = (
        any_scalar(0.1..64.0),
        any_scalar(0.0..1e9),
        prop::option::of(1u32..257),
        prop::option::of(1u32..9999),
    );
    let view = prop::sample::select(vec!["Camera", "Camera", "Camera", "Mirror"]);
    (numbers, view).prop_map(|(numbers, view)| TerrainNode {
        pixel_error: numbers.0,
        near: numbers.1,
        caster_patches: numbers.2,
        terrain_streaming_megabytes: numbers.3,
        view: view.to_owned(),
        ..TerrainNode::default()
    })
}

/// Nodes in any order under names of which some are declared: most of these documents are refused.
fn any_node() -> impl Strategy<Value = FrameNode> {
    let own = |name: &'static str, own: &'static str| {
        prop::sample::select(vec![name, name, own]).prop_map(str::to_owned)
    };
    let atlas = || own("ShadowAtlas", "Sun");
    let stage = prop::sample::select(vec![Stage::Main, Stage::Motion]);
    prop_oneof![
        (atlas(), prop::option::of(1u32..5)).prop_map(|(atlas, cascades)| FrameNode::ShadowMap(ShadowMap {
            scene_pass: atlas.clone(),
            atlas,
            cascades,
            ..ShadowMap::default()
        })),
        (stage, own("Camera", "Mirror"))
            .prop_map(|(stage, view)| FrameNode::Pass(Pass { view, ..Pass::new(stage) })),
        (any_terrain(), atlas())
            .prop_map(|(terrain, shadow_atlas)| FrameNode::Terrain(TerrainNode { shadow_atlas, ..terrain })),
        atlas().prop_map(|atlas| FrameNode::TerrainCaster(TerrainCaster { atlas, caster_patches: None })),
        own("Camera", "Mirror")
            .prop_map(|view| FrameNode::TerrainVelocity(TerrainVelocity { view, ..Default::default() })),
        Just(FrameNode::AmbientCombine(AmbientCombine::default())),
        Just(FrameNode::Sky(Sky::default())),
        Just(FrameNode::Tonemap(Tonemap::default())),
    ]
}

fn any_document() -> impl Strategy<Value = FrameDocument> {
    let preset = any_preset().prop_map(|preset| FrameDocument {
        views: vec!["Mirror".to_owned()],
        nodes: vec![FrameNode::StandardFrame(preset)],
        ..FrameDocument::default()
    });
    let own = (prop::collection::vec(any_node(), 0..9), 0usize..256).prop_map(|(mut nodes, declared)| {
        // Half of them in an order that may be right: shadows, opaque things, ground, motion.
        if declared % 2 == 0 {
            nodes.sort_by_key(|node| match node {
                FrameNode::ShadowMap(_) => 0,
                FrameNode::TerrainCaster(_) => 1,
                FrameNode::Pass(pass) if pass.stage == Stage::Main => 2,
                FrameNode::Pass(_) => 4,
                FrameNode::Terrain(_) => 3,
                _ => 5,
            });
        }
        let mut document = FrameDocument { nodes, ..FrameDocument::default() };
        StandardFrame { motion: true, split: declared % 4 < 2, bare: true, ..StandardFrame::default() }
            .expand(&mut document);
        if declared % 8 < 4 {
            document.views.push("Mirror".to_owned());
            let sun =
                TargetDesc { size: TargetSize::Shadow, ..TargetDesc::new("Sun", TargetFormat::Depth32Float) };
            document.targets.push(sun);
        }
        // An atlas that nothing renders has no size; the host's need none.
        document.targets.iter_mut().for_each(|target| target.host |= target.size == TargetSize::Shadow);
        document
    });
    prop_oneof![preset, own]
}

/// What has to hold for a document that is drawn.
fn assert_placed(written: &FrameDocument, drawn: &FrameDocument) -> Result<(), TestCaseError> {
    let node = |at: usize| drawn.nodes.get(at);
    let had = |kind: &str| written.nodes.iter().any(|node| node.kind() == kind);
    for (at, here) in drawn.nodes.iter().enumerate() {
        match here {
            FrameNode::ShadowMap(map) if !had("TerrainCaster") => {
                let sampled = drawn.terrains().any(|terrain| terrain.shadow_atlas == map.atlas);
                let follows = matches!(node(at + 1), Some(FrameNode::TerrainCaster(caster)) if caster.atlas == map.atlas);
                prop_assert_eq!(sampled, follows, "{:?}", labels(drawn));
            }
            FrameNode::Pass(pass) if pass.stage == Stage::Motion && !had("TerrainVelocity") => {
                let moved = drawn.terrains().any(|terrain| terrain.view == pass.view);
                let placed = drawn.nodes.iter().position(|node| {
                    matches!(node, FrameNode::TerrainVelocity(v) if v.output == pass.output() && v.view == pass.view)
                });
                let first = drawn.nodes.iter().position(|node| node == here) == Some(at);
                prop_assert!(!first || placed == moved.then_some(at + 1), "{:?}", labels(drawn));
            }
            _ => {}
        }
    }
    if drawn.expanded {
        prop_assert!(drawn.terrains().next().is_some());
    }
    // What was written is there in its order, with a preset's nodes in its place.
    let mut expanded = written.clone();
    ExpandStandardFrame.apply(&mut expanded).unwrap();
    let mut rest = drawn.nodes.iter();
    prop_assert!(expanded.nodes.iter().all(|wanted| rest.any(|node| node == wanted)));
    let added: Vec<_> =
        drawn.nodes.iter().filter(|node| !expanded.nodes.contains(node)).map(FrameNode::kind).collect();
    prop_assert!(added.iter().all(|kind| kind.starts_with("Terrain")), "{added:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_document_comes_back_and_its_nodes_are_on_their_lines(document in any_document()) {
        let text = document.to_ron();
        prop_assert_eq!(&FrameDocument::from_ron(&text).unwrap(), &document);
        for (at, node) in document.nodes.iter().enumerate() {
            let line = lines::of_element(&text, "nodes", at).unwrap();
            let found = text.lines().nth(line - 1).unwrap().trim_start();
            prop_assert!(found.starts_with(&format!("{}(", node.kind())), "line {line}: {found}");
        }
        prop_assert_eq!(lines::of_element(&text, "nodes", document.nodes.len()), None);
    }

    #[test]
    fn what_is_drawn_is_right_and_is_drawn_the_same_again_or_it_is_refused_with_a_node_and_a_name(
        document in any_document(),
    ) {
        match drawn(&document) {
            Ok(first) => {
                assert_placed(&document, &first)?;
                prop_assert_eq!(&drawn(&first).unwrap(), &first);
                prop_assert_eq!(&drawn(&FrameDocument::from_ron(&first.to_ron()).unwrap()).unwrap(), &first);
            }
            Err(error) => {
                let said = error.to_string();
                let named = said.contains("node ") && said.contains(" of ") && said.matches('\'').count() >= 2;
                prop_assert!(said.starts_with("frame document: ") && named, "{said}");
            }
        }
    }

    #[test]
    fn a_transform_that_fails_leaves_the_document(document in any_document()) {
        let before = document.clone();
        let _ = drawn(&document);
        prop_assert_eq!(document, before);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[()\\[\\]{}:,\"a-z0-9.\\- \n]{0,60}", nodes in "[()A-Za-z:,\" ]{0,40}") {
        let _ = FrameDocument::from_ron(&text);
        let _ = FrameDocument::from_ron(&format!("(nodes: [{nodes}])"));
        let _ = lines::of_element(&text, "nodes", 1);
    }
}

#[test]
fn many_random_documents_are_drawn() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let documents = (0..400).map(|_| any_document().new_tree(&mut runner).unwrap().current());
    let fine = documents.filter(|document| drawn(document).is_ok()).count();
    assert!((100..350).contains(&fine), "{fine} of 400: the properties above see too few of one kind");
}
