//! What is said, and how often.

use super::*;
use crate::plan::Placement;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps each event as its target, level and fields.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Subscriber for Heard {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        struct Fields(String);
        impl Visit for Fields {
            fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
                self.0 += &format!(" {field}={value:?}");
            }
        }
        let mut fields = Fields(format!("{} {}", event.metadata().target(), event.metadata().level()));
        event.record(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn heard(what: impl FnOnce()) -> Vec<String> {
    let heard = Heard::default();
    tracing::subscriber::with_default(heard.clone(), what);
    let events = heard.0.lock().unwrap();
    events.clone()
}

#[test]
fn the_preview_is_said_once_and_again_only_after_lit_ground() {
    let names = LitNames { scene_pass: "ForwardPlus", shadow_atlas: "ShadowAtlas" };
    let lit = LitInputs { scene: SceneConstants::WithCamera, cascades: true, atlas: true };
    let no_atlas = LitInputs { atlas: false, ..lit };
    let mut log = ReasonLog::default();
    assert!(!log.lit() && log.reason().is_none());
    let events = heard(|| {
        for _ in 0..3 {
            assert!(!log.observe(&no_atlas, &names));
        }
        assert!(log.reason().unwrap().contains("'ShadowAtlas'"));
        // Another reason is kept and not said: it is the same preview.
        assert!(!log.observe(&LitInputs { cascades: false, ..no_atlas }, &names));
        assert!(log.reason().unwrap().contains("under 'ForwardPlus'"));
        assert!(!log.observe(&no_atlas, &LitNames { shadow_atlas: "Moon", ..names }));
        assert!(log.reason().unwrap().contains("'Moon'"));
    });
    assert_eq!(events.len(), 1, "{events:?}");
    let parts = ["landform WARN", "code=4003", "the shadow atlas 'ShadowAtlas' is no target"];
    parts.iter().for_each(|part| assert!(events[0].contains(part), "{events:?} lacks {part}"));
    let events = heard(|| {
        assert!(log.observe(&lit, &names) && log.lit());
        assert!(log.observe(&lit, &names) && log.reason().is_none());
        assert!(!log.observe(&LitInputs::default(), &names));
        assert!(!log.observe(&no_atlas, &names));
    });
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].contains("no scene constants"), "{events:?}");
    let events = heard(|| assert!(ReasonLog::default().observe(&lit, &names)));
    assert!(events.is_empty(), "{events:?}");
}

#[test]
fn a_terrain_that_cannot_be_had_is_said_once_and_again_only_after_it_was() {
    let mut scene = TerrainScene::default();
    scene
        .add(TerrainComponent::of("lost"), Placement::default())
        .add(TerrainComponent::of("lost"), Placement::default());
    let mut extraction = TerrainExtraction::default();
    let broken = |_: &str| Answer::<u32>::Failed("the file is gone".to_owned());
    let events = heard(|| {
        for _ in 0..3 {
            assert!(extraction.extract(&scene, &mut { broken }).is_empty());
        }
        assert_eq!(extraction.problems()[0].terrain, "lost");
        assert_eq!(extraction.extract(&scene, &mut |_: &str| Answer::Ready(Arc::new(1))).len(), 2);
        assert!(extraction.problems().is_empty());
    });
    assert_eq!(events.len(), 1, "{events:?}");
    let parts = ["landform ERROR", "code=4002", "the file is gone", "lost"];
    parts.iter().for_each(|part| assert!(events[0].contains(part), "{events:?} lacks {part}"));
    let again = heard(|| assert!(extraction.extract(&scene, &mut { broken }).is_empty()));
    assert_eq!(again.len(), 1, "{again:?}");
}
