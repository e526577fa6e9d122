Planes main(Corner corner)
{
    Lit surface;
    surface.relative = corner.relative;
    surface.normal = normalize(corner.normal);
    surface.relief = surface.normal;
    surface.toward_eye = toward_eye_of(corner.relative);
    surface.albedo = corner.albedo.rgb;
    surface.roughness = corner.albedo.a;
    surface.occlusion = 1.0;
    return lit_planes(surface, corner.position.xy);
}
