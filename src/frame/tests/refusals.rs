//! What is refused and what is noted of a frame that is resolved over time, and of planes.

use super::*;

fn refused(text: &str) -> String {
    drawn(&read(text)).map(|document| labels(&document)).unwrap_err().to_string()
}

/// What a resolve keeps is read in the next frame, so what another node left in it would smear over the picture.
#[test]
fn nobody_adds_to_what_a_resolve_keeps() {
    let after = |node: &str| format!("(nodes: [StandardFrame(temporal: true), {node}])");
    let said = refused(&after(r#"Host(name: "names", writes: ["SceneResolved"])"#));
    assert!(said.contains("'SceneResolved' is what a Resolve keeps") && said.contains("adds to"), "{said}");
    let said = refused(&after(r#"Host(name: "names", clears: ["SceneResolved"])"#));
    assert!(said.contains("and this clears it"), "{said}");
    drawn(&read(&after(r#"Host(name: "names", writes: ["Output"], reads: ["SceneResolved"])"#))).unwrap();
}

/// A view has one jitter a frame.
#[test]
fn a_view_is_resolved_once() {
    let second = r#"(targets: [(name: "Other", format: Rgba16Float)],
        nodes: [StandardFrame(temporal: true), Resolve(output: "Other")])"#;
    let said = refused(second);
    assert!(said.contains("jitters the view 'Camera' as well"), "{said}");
}

#[test]
fn planes_hold_what_is_written_there() {
    for (name, format, why) in [
        (
            "SceneResolved",
            "Rg11b10Float",
            "its output 'SceneResolved' is Rg11b10Float; declare it as one of [Rgba16Float",
        ),
        ("SceneMotion", "R16Float", "its motion 'SceneMotion' is R16Float; declare it as one of [Rg16Float"),
        (
            "SceneOcclusion",
            "R8Unorm",
            "its output 'SceneOcclusion' is R8Unorm; declare it as one of [Rgba8Unorm",
        ),
    ] {
        let said = refused(&format!(
            "(targets: [(name: \"{name}\", format: {format})], nodes: [StandardFrame(temporal: true, occlusion: true)])"
        ));
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_pass_that_misses_its_shadows_is_noted() {
    let frame = drawn(&read(OWN)).unwrap();
    let notes = frame.notes();
    assert!(
        notes.len() == 1 && notes[0].contains("Pass Main") && notes[0].contains("there is one of 'Sun'"),
        "{notes:?}"
    );
    // Without any shadow map, or with a name of it, there is nothing to say.
    for text in ["(nodes: [StandardFrame(shadows: false)])", "(nodes: [StandardFrame()])"] {
        assert_eq!(drawn(&read(text)).unwrap().notes(), Vec::<String>::new());
    }
}

#[test]
fn a_resolve_that_nobody_shows_is_noted() {
    let text = r#"(targets: [(name: "SceneResolved", format: Rgba16Float)],
        nodes: [StandardFrame(bare: true, motion: true), Resolve()])"#;
    let notes = drawn(&read(text)).unwrap().notes();
    assert!(
        notes.len() == 1 && notes[0].contains("no node after it samples its output 'SceneResolved'"),
        "{notes:?}"
    );
}

#[test]
fn a_pass_has_a_name_to_look_its_shadows_up_under() {
    let said =
        FrameDocument::from_ron(r#"(nodes: [Pass(stage: Main, scene_pass: "")])"#).unwrap_err().to_string();
    assert!(said.contains("its scene_pass"), "{said}");
}
