use solana_account::{AccountSharedData, ReadableAccount};
use solana_account_decoder::parse_account_data::{AccountAdditionalDataV3, SplTokenAdditionalDataV2};
use solana_account_decoder::parse_token::get_token_account_mint;
use solana_account_decoder::{
    MAX_BASE58_BYTES, UiAccount, UiAccountEncoding, UiDataSliceConfig, encode_ui_account,
};
use solana_address::Address;
use spl_token_2022_interface::extension::interest_bearing_mint::InterestBearingConfig;
use spl_token_2022_interface::extension::scaled_ui_amount::ScaledUiAmountConfig;
use spl_token_2022_interface::extension::{BaseStateWithExtensions, StateWithExtensions};
use spl_token_2022_interface::state::Mint;

use crate::jsonrpc::RpcError;
use crate::solana::programs::is_token_program;

/// Encodes an account as requested. `find` returns other accounts; `time` is the block time.
pub(super) fn encode<'a>(
    address: &Address,
    account: &AccountSharedData,
    encoding: UiAccountEncoding,
    slice: Option<UiDataSliceConfig>,
    time: i64,
    find: impl Fn(&Address) -> Option<&'a AccountSharedData>,
) -> Result<UiAccount, RpcError> {
    let length = account.data().len();
    let shown = slice.map_or(length, |slice| slice.length.min(length.saturating_sub(slice.offset)));
    if matches!(encoding, UiAccountEncoding::Binary | UiAccountEncoding::Base58) && shown > MAX_BASE58_BYTES {
        let message = format!(
            "Encoded binary (base 58) data should be less than {MAX_BASE58_BYTES} bytes, please use Base64 \
             encoding."
        );
        return Err(RpcError::new(-32600, message));
    }
    let parsed_token = encoding == UiAccountEncoding::JsonParsed && is_token_program(account.owner());
    let more = if parsed_token {
        let mint = get_token_account_mint(account.data()).and_then(|mint| find(&mint));
        mint.and_then(|mint| mint_details(mint, time))
            .map(|details| AccountAdditionalDataV3 { spl_token_additional_data: Some(details) })
    } else {
        None
    };
    Ok(encode_ui_account(address, account, encoding, more, slice))
}

/// What is needed of a mint to show amounts of its token.
pub(super) fn mint_details(mint: &AccountSharedData, time: i64) -> Option<SplTokenAdditionalDataV2> {
    let mint = StateWithExtensions::<Mint>::unpack(mint.data()).ok()?;
    Some(SplTokenAdditionalDataV2 {
        decimals: mint.base.decimals,
        interest_bearing_config: mint.get_extension::<InterestBearingConfig>().ok().map(|it| (*it, time)),
        scaled_ui_amount_config: mint.get_extension::<ScaledUiAmountConfig>().ok().map(|it| (*it, time)),
    })
}
