float2 main(Corner corner) : SV_Target0
{
    return motion_between(corner.now, corner.last, motion_scale.xy);
}
