use super::*;

fn least(ask: Option<f64>, out: u64) -> u64 {
    out - max_slippage(U256::from(out), ask).to::<u64>()
}

#[test]
fn default_slippage_is_half_a_percent_and_rounds_up() {
    assert_eq!(least(None, 1_000_000), 995_000);
    assert_eq!(least(None, 300), 298);
    assert_eq!(least(Some(0.0), 300), 300);
    assert_eq!(least(Some(0.005), 1_000_000), 995_000);
    assert_eq!(least(Some(0.000_001), 1_000_000), 999_999);
    assert_eq!(least(Some(0.5), 3), 1);
    for nonsense in [f64::NAN, f64::INFINITY, -0.1] {
        assert_eq!(least(Some(nonsense), 300), 300, "{nonsense}");
    }
    assert!(max_slippage(U256::MAX, None) < U256::MAX / U256::from(100));
}

#[test]
fn addresses_are_parsed_in_every_format() {
    assert_eq!(word("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"), Some(B256::ZERO));
    assert_eq!(word(&"1".repeat(32)), Some(B256::ZERO));
    let address = Address::repeat_byte(0xaa);
    assert_eq!(word(&format!("{address:#x}")), Some(address.into_word()));
    for bad in ["", "0x", "0x12", "none", "a trusted escrow"] {
        assert_eq!(word(bad), None, "{bad}");
    }
}
