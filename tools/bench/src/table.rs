//! A report as tables for people.

use serde_json::Value;
use std::fmt::Write;

/// The tables of a report.
pub(crate) fn of(report: &Value) -> String {
    let mut text = String::new();
    let machine = &report["machine"];
    line(&mut text, &[("processor", &machine["processor"]), ("threads", &machine["threads"])]);
    if report["quick"] == true {
        text.push_str("A quick run: it shows that everything works, and its numbers are none to quote.\n");
    }
    if let Some(cpu) = report.get("cpu") {
        cpu_tables(&mut text, cpu);
    }
    if let Some(import) = report.get("import") {
        import_table(&mut text, import);
    }
    if let Some(gpu) = report.get("gpu") {
        gpu_tables(&mut text, gpu);
    }
    if let Some(layers) = report.get("layers") {
        layers_tables(&mut text, layers);
    }
    if let Some(casters) = report.get("casters") {
        casters_tables(&mut text, casters);
    }
    if let Some(frame) = report.get("frame") {
        frame_tables(&mut text, frame);
    }
    if let Some(lamps) = report.get("lamps") {
        lamps_table(&mut text, lamps);
    }
    text
}

fn cpu_tables(text: &mut String, cpu: &Value) {
    text.push_str(
        "\nSelection over the path (medians a frame; `naive` is a recursive quadtree in the same run)\n",
    );
    let columns = ["case", "selected", "visited", "µs", "ns/visited", "naive ns/visited", "naive/ours"];
    table(text, &columns, list(&cpu["selection"]), |row| {
        let (ours, naive) = (&row["landform"], &row["naive"]);
        vec![
            row["case"].clone(),
            ours["selected_a_frame"].clone(),
            ours["visited_a_frame"].clone(),
            ours["us_a_frame"].clone(),
            ours["ns_a_visited_node"].clone(),
            naive["ns_a_visited_node"].clone(),
            row["naive_over_landform"].clone(),
        ]
    });
    text.push_str("\nBounds, edits and queries\n");
    for part in [&cpu["bounds"], &cpu["queries"], &cpu["queries"]["raycast"]] {
        pairs(text, part);
    }
}

fn import_table(text: &mut String, import: &Value) {
    let _ =
        writeln!(text, "\nImport of {0} × {0} samples (medians; `library` decodes alone)", import["samples"]);
    let columns = [
        "format",
        "file MB",
        "decoded MB",
        "import MB/s",
        "library MB/s",
        "import/library",
        "+ns/sample",
        "peak MB",
        "field MB",
    ];
    let keys = [
        "format",
        "file_megabytes",
        "decoded_megabytes",
        "import_megabytes_a_second",
        "library_megabytes_a_second",
        "import_over_library",
        "ns_a_sample_beside_the_library",
        "peak_megabytes",
        "field_megabytes",
    ];
    table(text, &columns, list(&import["formats"]), |row| keys.iter().map(|key| row[key].clone()).collect());
}

fn gpu_tables(text: &mut String, gpu: &Value) {
    text.push('\n');
    pairs(text, &gpu["device"]);
    text.push_str(
        "\nPasses (milliseconds by the named clock: each pose its median, then the median of the poses)\n",
    );
    let columns = [
        "size",
        "grid",
        "nodes",
        "triangles",
        "surface",
        "baseline",
        "surface/baseline",
        "depth",
        "sky",
        "invocations/triangle",
        "clock",
    ];
    table(text, &columns, list(&gpu["passes"]), |row| {
        let pass = |name: &str| row["milliseconds"][name].clone();
        vec![
            row["size"].clone(),
            row["grid"].clone(),
            row["nodes"].clone(),
            row["triangles"].clone(),
            pass("surface"),
            pass("baseline"),
            row["surface_over_baseline"].clone(),
            pass("depth"),
            pass("sky"),
            row["vertex_invocations_a_triangle"].clone(),
            row["clock"].clone(),
        ]
    });
    text.push_str("\nFirst frame\n");
    pairs(text, &gpu["upload"]);
    text.push_str("\nSteady frames\n");
    pairs(text, &gpu["steady"]);
}

fn layers_tables(text: &mut String, layers: &Value) {
    text.push('\n');
    pairs(text, &layers["device"]);
    text.push_str(
        "\nThe surface with layers (`3 of 8`: three of eight are on every sample; milliseconds: each pose its median, then \
         the median of the poses)\n",
    );
    let about = ["size", "poses", "frames", "clock", "samples", "texture_side", "texture_bytes"];
    line(text, &about.map(|name| (name, &layers[name])));
    let columns = ["case", "slots", "layers read a pixel", "ms", "over baseline"];
    table(text, &columns, list(&layers["cases"]), |row| {
        ["case", "slots", "layers_read_a_pixel", "milliseconds", "over_baseline"]
            .map(|name| row[name].clone())
            .into()
    });
    text.push_str("\nRatios (each pose its own, then their median)\n");
    let columns = ["ratio", "median", "most of a pose", "goal", "within it"];
    table(text, &columns, list(&layers["ratios"]), |row| {
        ["ratio", "value", "most_of_a_pose", "goal", "within_goal"].map(|name| row[name].clone()).into()
    });
    text.push_str("\nFirst frame with 8 layers: the terrain, and its textures\n");
    pairs(text, &layers["first_frame"]["terrain"]);
    pairs(text, &layers["first_frame"]["textures"]);
    text.push_str("\nUnchanged frames with 8 layers\n");
    pairs(text, &layers["steady"]);
}

fn frame_tables(text: &mut String, frame: &Value) {
    text.push('\n');
    pairs(text, &frame["device"]);
    line(text, &["poses", "frames", "lamps"].map(|name| (name, &frame[name])));
    for measured in list(&frame["measured"]) {
        text.push_str("\nA frame (milliseconds: medians over all poses)\n");
        line(text, &["frame", "size", "ms", "terrain_as_preview_ms"].map(|name| (name, &measured[name])));
        table(text, &["node", "ms"], list(&measured["nodes"]), |row| {
            ["node", "ms"].map(|name| row[name].clone()).into()
        });
        pairs(text, &measured["steady"]);
    }
}

fn lamps_table(text: &mut String, lamps: &Value) {
    text.push('\n');
    pairs(text, &lamps["device"]);
    text.push_str("\nLamps into 16 × 9 × 24 clusters (medians a frame; the CPU's way, and the device's in turns with it)\n");
    line(text, &["poses", "frames"].map(|name| (name, &lamps[name])));
    let columns = [
        ("lamps", "lamps"),
        ("CPU µs", "cpu_us"),
        ("device: CPU µs", "device_cpu_us"),
        ("device: ms", "device_ms"),
        ("lamps handed over", "records"),
        ("listed by the CPU", "listed_by_cpu"),
        ("by the device", "listed_by_device"),
        ("most allocations", "most_allocations"),
        ("descriptor writes", "descriptor_writes"),
    ];
    table(text, &columns.map(|(column, _)| column), list(&lamps["counts"]), |row| {
        columns.map(|(_, name)| row[name].clone()).into()
    });
}

fn casters_tables(text: &mut String, casters: &Value) {
    text.push('\n');
    pairs(text, &casters["device"]);
    text.push_str(
        "\nThe ground as a caster (milliseconds: each pose its median, then the median of the poses)\n",
    );
    line(text, &["size", "poses", "frames", "clock"].map(|name| (name, &casters[name])));
    let columns =
        ["tile", "cascade", "reach_m", "texel_m", "patches", "most_patches", "level", "milliseconds"];
    let tiles = list(&casters["tiles"]);
    let cascades: Vec<Value> = tiles.iter().flat_map(|tile| list(&tile["cascades"])).cloned().collect();
    table(text, &columns.map(|name| name.trim_end_matches("_m")), &cascades, |row| {
        columns.map(|name| row[name].clone()).into()
    });
    text.push_str("\nAll cascades in one scope, beside a depth pass of the view, and what a frame of a flight costs the processor\n");
    let columns = [
        ("tile", "tile"),
        ("all ms", "all_milliseconds"),
        ("depth ms", "depth_milliseconds"),
        ("all/depth", "all_over_depth"),
        ("most of a pose", "most_all_over_depth"),
        ("fit µs", "fit_us"),
        ("plan µs", "plan_us"),
        ("record µs", "record_us"),
        ("most allocations", "most_allocations"),
        ("most descriptor writes", "most_descriptor_writes"),
    ];
    table(text, &columns.map(|(column, _)| column), tiles, |row| {
        columns.map(|(_, name)| row[name].clone()).into()
    });
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Numbers and words of an object, one a line.
fn pairs(text: &mut String, object: &Value) {
    for (name, value) in object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_object()) {
        let _ = writeln!(text, "  {:<36} {}", name.replace('_', " "), cell(value));
    }
}

fn line(text: &mut String, parts: &[(&str, &Value)]) {
    let parts: Vec<String> = parts.iter().map(|(name, value)| format!("{name} {}", cell(value))).collect();
    let _ = writeln!(text, "{}", parts.join(", "));
}

fn table(text: &mut String, columns: &[&str], rows: &[Value], cells: impl Fn(&Value) -> Vec<Value>) {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row).iter().map(cell).collect()).collect();
    let width = |column: usize| {
        let longest = rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        longest.max(columns[column].chars().count())
    };
    let mut print = |cells: &[String]| {
        for (column, cell) in cells.iter().enumerate() {
            let width = width(column);
            let _ =
                if column == 0 { write!(text, "  {cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        text.push('\n');
    };
    print(&columns.iter().map(|column| (*column).to_string()).collect::<Vec<_>>());
    rows.iter().for_each(|row| print(row));
}

/// Three figures, or more where there are more before the point.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            match number.abs() {
                0.0 => "0".into(),
                size if size >= 100.0 || number.fract() == 0.0 => format!("{number:.0}"),
                size if size >= 10.0 => format!("{number:.1}"),
                size if size >= 1.0 => format!("{number:.2}"),
                _ => format!("{number:.4}"),
            }
        }
        other => other.to_string(),
    }
}
