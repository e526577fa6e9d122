//! Every structure that a shader reads lies where the shader reads it.

#[path = "common/reflection.rs"]
mod reflection;

use landform::abi::{
    BlendTwinCase, BlendTwinResult, CascadeRecord, ClusterView, ExposureConstants, LampReach, LampRecord,
    LayerConstants, LightConstants, MaterialConstants, MorphBand, NodeRecord, OcclusionConstants,
    ResolveConstants, ShowConstants, SkyConstants, SkyVelocityConstants, TonemapConstants, TwinCase,
    TwinResult, ViewConstants,
};
use reflection::struct_layout;
use std::mem::{offset_of, size_of};

/// Compares name, offset and size of each field, and the size, with the reflection of a shader.
macro_rules! assert_layout {
    ($shader:expr, $type:ident { $($field:ident),* $(,)? }) => {{
        let layout = struct_layout($shader, stringify!($type));
        let zero: $type = bytemuck::Zeroable::zeroed();
        let ours = vec![$((stringify!($field), offset_of!($type, $field), size_of_val(&zero.$field))),*];
        assert_eq!(layout.fields(), ours, "{} in {}", stringify!($type), $shader);
        let summed: usize = ours.iter().map(|(_, _, size)| size).sum();
        assert_eq!(summed, size_of::<$type>(), "{} has a field that the list above lacks", stringify!($type));
        layout
    }};
}

#[test]
fn node_records_are_sixteen_bytes() {
    for shader in ["surface.vert.g16", "surface.vert.g32", "surface.vert.g64", "depth.vert.g32"] {
        let layout = assert_layout!(shader, NodeRecord { origin, step, packed });
        assert_eq!((layout.stride, size_of::<NodeRecord>()), (16, 16));
    }
}

#[test]
fn view_constants_lie_where_shaders_read_them() {
    for shader in ["surface.vert.g32", "preview.frag.s4", "lit.frag.s4", "lit.frag.s16hp"] {
        let layout = assert_layout!(
            shader,
            ViewConstants {
                view_projection,
                camera_sample,
                camera_height,
                level_sample,
                spacing,
                map,
                tiles,
                sun,
                sky,
                bands,
                unjittered,
                last_view_projection,
                last_camera_sample,
                last_camera_height,
                last_level_sample,
                motion_scale,
                last_bands
            }
        );
        let bands = layout.members.iter().find(|member| member.name == "bands").expect("bands");
        assert_eq!(bands.array_stride, Some(size_of::<MorphBand>()));
        assert_eq!(bands.array_count, Some(landform::abi::MAX_LEVELS));
        assert_layout!(shader, MorphBand { start, end, inverse, unused });
    }
}

#[test]
fn layers_and_materials_lie_where_shaders_read_them() {
    for shader in
        ["preview.frag.s4", "preview.frag.s8h", "preview.frag.s16h", "lit.frag.s4", "lit.frag.s16hp"]
    {
        let layout = assert_layout!(
            shader,
            MaterialConstants {
                sets,
                counts,
                slot_listed,
                slot_under,
                slot_first,
                world,
                distance_scales,
                variation,
                variation_scale,
                layers
            }
        );
        let layers = layout.members.iter().find(|member| member.name == "layers").expect("layers");
        assert_eq!(layers.array_stride, Some(size_of::<LayerConstants>()));
        assert_eq!(layers.array_count, Some(landform::abi::MAX_LAYERS));
        assert_layout!(shader, LayerConstants { near, far, near_cell, far_cell, tint, slope, blend, flags });
    }
}

#[test]
fn light_lies_where_shaders_read_it() {
    for shader in
        ["lit.frag.s4", "lit.frag.s8h", "lit.frag.s12p", "lit.frag.s16hp", "air.frag", "combine.frag"]
    {
        let layout = assert_layout!(
            shader,
            LightConstants {
                toward_sun,
                sun_illuminance,
                harmonics,
                haze,
                sky_place,
                shadow,
                bias,
                clusters,
                cluster_scale,
                cluster_view,
                ahead,
                ray_from_clip,
                cascades,
                toward_moon,
                moon,
                moon_side,
                night,
                star_rows
            }
        );
        let array = |name: &str| {
            let member = layout.members.iter().find(|member| member.name == name).expect("an array");
            (member.array_count, member.array_stride)
        };
        assert_eq!(array("harmonics"), (Some(9), Some(16)));
        let cascades = (Some(landform::shaders::MAX_CASCADES), Some(size_of::<CascadeRecord>()));
        assert_eq!(array("cascades"), cascades);
        assert_layout!(shader, CascadeRecord { rows, atlas, texel });
    }
    assert_eq!(landform::shaders::MAX_CASCADES, landform::light::MOST_CASCADES);
}

#[test]
fn lamps_are_forty_eight_bytes() {
    for shader in ["lit.frag.s4", "lit.frag.s8h", "lit.frag.s12p", "lit.frag.s16hp", "cluster_reaches.comp"] {
        let fields = assert_layout!(
            shader,
            LampRecord { position, range, intensity, cos_outer, toward, inverse_cone }
        );
        assert_eq!((fields.stride, size_of::<LampRecord>()), (48, 48));
    }
}

#[test]
fn what_lamps_are_sorted_with_lies_where_the_shaders_read_it() {
    for shader in ["cluster_reaches.comp", "clusters.comp"] {
        assert_layout!(shader, ClusterView { clip_rows, turn, grid, slicing, seen, room });
        let reach = assert_layout!(
            shader,
            LampReach { centre, radius, apex, range, axis, sine, cosine, columns, rows, slices }
        );
        assert_eq!((reach.stride, size_of::<LampReach>()), (64, 64));
    }
}

#[test]
fn tonemap_constants_lie_where_the_shader_reads_them() {
    assert_layout!("tonemap.frag", TonemapConstants { exposure, sharpness });
}

#[test]
fn constants_of_passes_over_a_target_lie_where_the_shaders_read_them() {
    for shader in ["occlusion.frag", "occlusion_blur.frag"] {
        assert_layout!(shader, OcclusionConstants { ray_from_clip, clip_from_pixel, seen_part, search });
    }
    assert_layout!("sky_velocity.frag", SkyVelocityConstants { last_from_clip, motion_scale });
    assert_layout!("resolve.frag", ResolveConstants { viewport, frame, last });
    assert_layout!("show.frag", ShowConstants { shown_as });
}

#[test]
fn what_a_meter_is_told_lies_where_its_modules_read_it() {
    for shader in ["exposure_histogram.comp", "exposure_adapt.comp"] {
        assert_layout!(shader, ExposureConstants { sampled, bounds, pace });
    }
}

#[test]
fn sky_constants_lie_where_the_shader_reads_them() {
    assert_layout!("sky.frag", SkyConstants { ray_from_clip, sun, horizon });
}

#[test]
fn twin_cases_and_results_have_their_stride() {
    let case = assert_layout!("twin.comp", TwinCase { place, level, index, morph, quad });
    let result = assert_layout!(
        "twin.comp",
        TwinResult {
            taps,
            fraction,
            height,
            distance,
            morph,
            target,
            slid,
            hole,
            slope,
            last_lambda,
            last_up
        }
    );
    assert_eq!((case.stride, result.stride), (size_of::<TwinCase>(), size_of::<TwinResult>()));
    let case =
        assert_layout!("blend_twin.comp", BlendTwinCase { set, count, weight, height, contrast, mode });
    let result = assert_layout!("blend_twin.comp", BlendTwinResult { share });
    assert_eq!((case.stride, result.stride), (size_of::<BlendTwinCase>(), size_of::<BlendTwinResult>()));
}
