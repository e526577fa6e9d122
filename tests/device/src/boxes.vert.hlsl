// Six faces of two triangles, counter-clockwise seen from outside.
Corner main(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    Box box = boxes[instance];
    uint face = vertex / 6;
    uint axis = face / 2;
    float side = (face & 1) == 0 ? 1.0 : -1.0;
    static const float2 CORNERS[6] = { float2(-1, -1), float2(1, -1), float2(1, 1), float2(-1, -1), float2(1, 1), float2(-1, 1) };
    float2 at = CORNERS[vertex % 6] * float2(side, 1.0);
    float3 place = axis == 0 ? float3(side, at) : axis == 1 ? float3(at.y, side, at.x) : float3(at, side);
    Corner corner;
    float3 relative = box.centre.xyz + place * box.half_size.xyz;
    corner.position = mul(view_projection, float4(relative, 1.0));
#if CASTER
    // What stands before a cascade's near plane casts all the same.
    corner.position.z = min(corner.position.z, corner.position.w);
#endif
#if LIT
    corner.relative = relative;
    corner.normal = axis == 0 ? float3(side, 0, 0) : axis == 1 ? float3(0, side, 0) : float3(0, 0, side);
    corner.albedo = float4(box.albedo.rgb, box.centre.w);
#endif
#if MOTION
    corner.now = mul(unjittered, float4(relative, 1.0));
    corner.last = mul(last_unjittered, float4(box.last.xyz + place * box.half_size.xyz, 1.0));
#endif
    return corner;
}
