// The constant fragment of the baseline.
float4 main() : SV_Target0
{
    return float4(0.5, 0.5, 0.5, 1.0);
}
