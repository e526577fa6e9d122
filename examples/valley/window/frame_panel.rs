//! The panel's part on the lit frame: the light, the document's nodes and its targets.

use crate::daylight::Daylight;
use landform_cli::day::TimeOfDay;
use landform_cli::lit::NodeReport;

/// What a person can change of the frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrameControls {
    /// True where the ground is drawn in the lit frame, and else as a preview.
    pub(crate) lit: bool,
    pub(crate) light: Daylight,
    /// Exposure values that the picture is brighter than metered.
    pub(crate) compensation: f32,
    /// The target that is shown in place of the picture.
    pub(crate) shown: Option<String>,
    /// A node that is to be turned off or on.
    pub(crate) toggled: Option<usize>,
    /// Whether boulders, posts and lamps are drawn, where there are any.
    pub(crate) props: bool,
    /// True where the document is to be read again.
    pub(crate) reload: bool,
}

/// What the panel says of the frame.
#[derive(Default)]
pub(crate) struct FrameStatus {
    /// None while a preview is drawn.
    pub(crate) nodes: Option<Vec<NodeReport>>,
    /// Milliseconds before the first node.
    pub(crate) prepare_ms: Option<f64>,
    pub(crate) targets: Vec<String>,
    pub(crate) ev100: f32,
    pub(crate) preview_reason: Option<String>,
    /// Whether there is a file to read again.
    pub(crate) has_file: bool,
}

/// The sun and the exposure.
pub(super) fn light(ui: &mut egui::Ui, controls: &mut FrameControls, status: &FrameStatus) {
    let light = &mut controls.light;
    // What was stated stays as it is, unrounded, until somebody moves it.
    let clamped = egui::SliderClamping::Edits;
    let mut hours = light.time.0;
    let slider = egui::Slider::new(&mut hours, 0.0..=24.0).clamping(clamped).text("time of day");
    let slider = slider.custom_formatter(|hours, _| TimeOfDay(hours).to_string());
    let slider = slider.custom_parser(|text| text.parse().ok().map(|time: TimeOfDay| time.0));
    if ui.add(slider).changed() {
        light.set_time(TimeOfDay(hours));
    }
    ui.horizontal(|ui| {
        ui.checkbox(&mut light.runs, "clock runs");
        let pace = egui::DragValue::new(&mut light.pace).range(0.1..=120.0).speed(0.2).suffix(" min/s");
        ui.add_enabled(light.runs, pace);
    });
    let degrees =
        |value, range| egui::Slider::new(value, range).suffix("°").fixed_decimals(0).clamping(clamped);
    ui.add(degrees(&mut light.sun.yaw, 0.0..=360.0).text("sun from north"));
    ui.add(degrees(&mut light.sun.height, -12.0..=88.0).text("sun's height"));
    if status.nodes.is_some() {
        let slider = egui::Slider::new(&mut controls.compensation, -4.0..=4.0).clamping(clamped);
        ui.add(slider.fixed_decimals(1).text(format!("exposure, at EV {:.1}", status.ev100)));
    }
}

/// The nodes with their times, and what is shown.
pub(super) fn frame(ui: &mut egui::Ui, controls: &mut FrameControls, status: &FrameStatus) {
    ui.checkbox(&mut controls.lit, "lit frame");
    let Some(nodes) = &status.nodes else {
        ui.weak("A preview is drawn: modes other than shaded, and frozen nodes, are.");
        return;
    };
    if let Some(reason) = &status.preview_reason {
        ui.add(egui::Label::new(egui::RichText::new(reason).color(egui::Color32::LIGHT_YELLOW)).wrap());
    }
    ui.checkbox(&mut controls.props, "boulders, posts and lamps");
    egui::Grid::new("nodes").num_columns(2).show(ui, |ui| {
        for (at, node) in nodes.iter().enumerate() {
            let mut on = node.enabled;
            if ui.checkbox(&mut on, &node.label).changed() {
                controls.toggled = Some(at);
            }
            ui.monospace(milliseconds(node.gpu_ms));
            ui.end_row();
        }
        ui.weak("before them");
        ui.monospace(milliseconds(status.prepare_ms));
        ui.end_row();
        ui.weak("all of it");
        ui.monospace(milliseconds(nodes.iter().map(|node| node.gpu_ms).chain([status.prepare_ms]).sum()));
        ui.end_row();
    });
    ui.horizontal(|ui| {
        let now = controls.shown.clone().unwrap_or_else(|| "the picture".into());
        egui::ComboBox::from_label("show").selected_text(now).show_ui(ui, |ui| {
            ui.selectable_value(&mut controls.shown, None, "the picture");
            for target in &status.targets {
                ui.selectable_value(&mut controls.shown, Some(target.clone()), target);
            }
        });
        controls.reload |= status.has_file && ui.button("read again").clicked();
    });
}

fn milliseconds(ms: Option<f64>) -> String {
    ms.map_or_else(|| "–".into(), |ms| format!("{ms:7.3} ms"))
}

/// The target after this one: the picture, then each in its order.
pub(crate) fn next_target(shown: Option<&str>, targets: &[String]) -> Option<String> {
    let next = match shown {
        None => 0,
        Some(name) => targets.iter().position(|target| target == name)? + 1,
    };
    targets.get(next).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stepping_through_targets_comes_back_to_the_picture() {
        let targets = ["A", "B"].map(String::from);
        assert_eq!(next_target(None, &targets).as_deref(), Some("A"));
        assert_eq!(next_target(Some("A"), &targets).as_deref(), Some("B"));
        assert_eq!(next_target(Some("B"), &targets), None);
        assert_eq!(next_target(Some("gone"), &targets), None);
        assert_eq!(next_target(None, &[]), None);
    }
}
