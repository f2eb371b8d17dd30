use alloy_primitives::{Address, B256, keccak256};
use alloy_sol_types::{SolCall as _, eip712_domain, sol};
use causeway_domain::ports::ContractCall;
use causeway_domain::{Address as AnyAddress, ChainId};

sol! {
    interface SigningToken {
        function name() external view returns (string);
        function version() external view returns (string);
        function DOMAIN_SEPARATOR() external view returns (bytes32);
    }
}

/// The longest name or version that a wallet is asked to show.
const MAX_TEXT: usize = 64;

/// The version of tokens that do not report one.
const DEFAULT_VERSION: &str = "1";

/// The EIP-712 domain in which a token takes signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenDomain {
    pub name: String,
    pub version: String,
}

impl TokenDomain {
    /// How many calls [`TokenDomain::calls`] makes.
    pub(crate) const CALLS: usize = 3;

    /// The calls whose answers [`TokenDomain::read`] takes.
    pub(crate) fn calls(token: Address) -> [ContractCall; Self::CALLS] {
        [
            SigningToken::nameCall {}.abi_encode(),
            SigningToken::versionCall {}.abi_encode(),
            SigningToken::DOMAIN_SEPARATORCall {}.abi_encode(),
        ]
        .map(|data| ContractCall { to: AnyAddress::Evm(token), data })
    }

    /// The domain, if the token's own separator is the one of this domain: a signature over another would be worthless.
    pub(crate) fn read(chain: ChainId, token: Address, answers: &[Option<Vec<u8>>]) -> Option<Self> {
        let [Some(name), version, Some(separator)] = answers else { return None };
        let separator = SigningToken::DOMAIN_SEPARATORCall::abi_decode_returns_validate(separator).ok()?;
        let name = SigningToken::nameCall::abi_decode_returns_validate(name).ok()?;
        let version = version.as_deref().map(SigningToken::versionCall::abi_decode_returns_validate);
        let version = version.and_then(Result::ok).unwrap_or_else(|| DEFAULT_VERSION.to_owned());
        let is_plain = |text: &str| text.len() <= MAX_TEXT && !text.chars().any(char::is_control);
        let domain = Self { name, version };
        let is_plain = is_plain(&domain.name) && is_plain(&domain.version);
        (is_plain && domain.separator(chain, token) == separator).then_some(domain)
    }

    pub(crate) fn separator(&self, chain: ChainId, token: Address) -> B256 {
        let domain = eip712_domain! {
            name: self.name.clone(),
            version: self.version.clone(),
            chain_id: chain.get(),
            verifying_contract: token,
        };
        domain.separator()
    }

    /// What is signed for a message of this domain.
    pub(crate) fn digest(&self, chain: ChainId, token: Address, message: B256) -> B256 {
        let separator = self.separator(chain, token);
        keccak256([&[0x19, 0x01][..], separator.as_slice(), message.as_slice()].concat())
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{address, b256};
    use alloy_sol_types::SolValue as _;

    use super::*;

    const USDC: Address = address!("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");

    fn ethereum() -> ChainId {
        ChainId::new(1).unwrap()
    }

    fn answers(name: &str, version: Option<&str>, separator: B256) -> Vec<Option<Vec<u8>>> {
        vec![
            Some(name.to_owned().abi_encode()),
            version.map(|version| version.to_owned().abi_encode()),
            Some(separator.abi_encode()),
        ]
    }

    #[test]
    fn the_domain_of_usdc_on_ethereum_has_its_separator() {
        // What the contract on Ethereum answers.
        let separator = b256!("06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335");
        let domain = TokenDomain { name: "USD Coin".to_owned(), version: "2".to_owned() };
        assert_eq!(domain.separator(ethereum(), USDC), separator);
        let read = |answers: &[_]| TokenDomain::read(ethereum(), USDC, answers);
        assert_eq!(read(&answers("USD Coin", Some("2"), separator)), Some(domain));
        assert_eq!(read(&answers("USD Coin", None, separator)), None, "its version is not 1");
        assert_eq!(read(&answers("USDC", Some("2"), separator)), None, "another name");
        let elsewhere =
            TokenDomain::read(ChainId::new(10).unwrap(), USDC, &answers("USD Coin", Some("2"), separator));
        assert_eq!(elsewhere, None, "the domain of another chain");
    }

    #[test]
    fn a_token_with_unreadable_answers_has_no_domain() {
        let domain = TokenDomain { name: "Token".to_owned(), version: "1".to_owned() };
        let good = answers("Token", None, domain.separator(ethereum(), USDC));
        assert_eq!(TokenDomain::read(ethereum(), USDC, &good), Some(domain));
        for missing in [0, 2] {
            for answer in [None, Some(Vec::new()), Some(vec![0xff; 33])] {
                let mut bad = good.clone();
                bad[missing] = answer;
                assert_eq!(TokenDomain::read(ethereum(), USDC, &bad), None, "{missing}");
            }
        }
        let long = TokenDomain { name: "x".repeat(MAX_TEXT + 1), version: "1".to_owned() };
        let long = answers(&long.name, None, long.separator(ethereum(), USDC));
        assert_eq!(TokenDomain::read(ethereum(), USDC, &long), None);
    }
}
