use std::sync::LazyLock;

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::ports::{ChainError, ContractCall, ContractReader};
use causeway_domain::{Address as AnyAddress, ChainId, DepositMethod};

use crate::send::Signer;
use crate::token_domain::TokenDomain;
use crate::token_permit::TokenPermitData;

sol! {
    interface PermitToken {
        function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
        function nonces(address owner) external view returns (uint256);
        function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;
    }
}

/// A key that holds nothing, whose permits are only simulated. It is a new one in every process: with a key that is known, anybody
/// could spend its nonces or give its account code (EIP-7702), and tokens would seem to take no permits.
static PROBE: LazyLock<Option<Signer>> = LazyLock::new(probe);

fn probe() -> Option<Signer> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).ok()?;
    Signer::from_bytes(&key).ok()
}

/// Whom the simulated permits name as the spender.
const PROBE_SPENDER: Address = Address::repeat_byte(0x5e);

/// What a token takes its holders' signatures for, as its chain tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSignatures {
    pub domain: TokenDomain,
    /// Whether it has EIP-3009 authorizations.
    pub authorizations: bool,
    /// Whether it takes EIP-2612 permits: a proper one passed in a simulation, and another did not.
    pub permits: bool,
}

impl TokenSignatures {
    /// Reads the tokens in two rounds; `None` for one whose domain is not the one it claims.
    pub async fn read(
        reader: &impl ContractReader,
        tokens: &[Address],
    ) -> Result<Vec<Option<Self>>, ChainError> {
        let probe = PROBE.as_ref().map(Signer::address).unwrap_or_default();
        let first = Self::read_domains(reader, tokens, probe).await?;
        let candidates: Vec<(Address, &TokenDomain, U256)> = tokens
            .iter()
            .zip(&first)
            .filter_map(|(token, read)| {
                read.as_ref().and_then(|read| Some((*token, &read.domain, read.nonce?)))
            })
            .collect();
        let permits = probe_permits(reader, &candidates).await?;
        let takes_permits = |token: &Address| {
            candidates.iter().zip(&permits).any(|((candidate, ..), takes)| candidate == token && *takes)
        };
        let whole = |(token, read): (&Address, &Option<DomainRead>)| {
            let DomainRead { domain, authorizations, .. } = read.as_ref()?;
            let (domain, authorizations) = (domain.clone(), *authorizations);
            Some(Self { domain, authorizations, permits: takes_permits(token) })
        };
        Ok(tokens.iter().zip(&first).map(whole).collect())
    }

    /// Reads domains, whether there are authorizations, and the owner's next nonce of permits.
    async fn read_domains(
        reader: &impl ContractReader,
        tokens: &[Address],
        owner: Address,
    ) -> Result<Vec<Option<DomainRead>>, ChainError> {
        let calls: Vec<ContractCall> =
            tokens.iter().flat_map(|token| DomainRead::calls(*token, owner)).collect();
        let answers = reader.read(&calls).await?;
        let chain = reader.chain();
        let read = |(token, answers): (&Address, &[_])| DomainRead::read(chain, *token, answers);
        Ok(tokens.iter().zip(answers.chunks(DomainRead::CALLS)).map(read).collect())
    }

    /// The deposit methods for which the token takes a signature.
    pub fn methods(&self) -> Vec<DepositMethod> {
        let all =
            [(self.authorizations, DepositMethod::Authorization), (self.permits, DepositMethod::Permit)];
        all.into_iter().filter_map(|(taken, method)| taken.then_some(method)).collect()
    }
}

/// What one round of calls tells of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DomainRead {
    pub(crate) domain: TokenDomain,
    pub(crate) authorizations: bool,
    /// The next nonce of the owner's permits, if the token counts them.
    pub(crate) nonce: Option<U256>,
}

impl DomainRead {
    const CALLS: usize = TokenDomain::CALLS + 2;

    /// Reads one token for one owner; `None` if the token's domain is not the one it claims.
    pub(crate) async fn of(
        reader: &impl ContractReader,
        token: Address,
        owner: Address,
    ) -> Result<Option<Self>, ChainError> {
        let read = TokenSignatures::read_domains(reader, &[token], owner).await?;
        Ok(read.into_iter().next().flatten())
    }

    fn calls(token: Address, owner: Address) -> Vec<ContractCall> {
        let state = PermitToken::authorizationStateCall { authorizer: token, nonce: B256::ZERO };
        let nonces = PermitToken::noncesCall { owner };
        let more = [state.abi_encode(), nonces.abi_encode()];
        let more = more.map(|data| ContractCall { to: AnyAddress::Evm(token), data });
        TokenDomain::calls(token).into_iter().chain(more).collect()
    }

    fn read(chain: ChainId, token: Address, answers: &[Option<Vec<u8>>]) -> Option<Self> {
        let (domain, more) = answers.split_at_checked(TokenDomain::CALLS)?;
        let [state, nonce] = more else { return None };
        let domain = TokenDomain::read(chain, token, domain)?;
        let state = state.as_deref().map(PermitToken::authorizationStateCall::abi_decode_returns_validate);
        let nonce = nonce.as_deref().map(PermitToken::noncesCall::abi_decode_returns_validate);
        Some(Self { domain, authorizations: matches!(state, Some(Ok(_))), nonce: nonce.and_then(Result::ok) })
    }
}

/// Whether each token takes permits of this domain and nonce: a proper permit of the probe passes, and one over another amount
/// does not.
async fn probe_permits(
    reader: &impl ContractReader,
    tokens: &[(Address, &TokenDomain, U256)],
) -> Result<Vec<bool>, ChainError> {
    let Some(probe) = PROBE.as_ref() else { return Ok(vec![false; tokens.len()]) };
    if tokens.is_empty() {
        return Ok(Vec::new());
    }
    let chain = reader.chain();
    let calls: Option<Vec<ContractCall>> = tokens
        .iter()
        .flat_map(|(token, domain, nonce)| {
            [1, 2].map(|signed| probe_call(probe, chain, *token, domain, *nonce, signed))
        })
        .collect();
    let Some(calls) = calls else { return Ok(vec![false; tokens.len()]) };
    let answers = reader.read(&calls).await?;
    Ok(answers.chunks(2).map(|pair| matches!(pair, [Some(_), None])).collect())
}

/// A permit of the probe for one unit; proper if that amount was signed.
fn probe_call(
    probe: &Signer,
    chain: ChainId,
    token: Address,
    domain: &TokenDomain,
    nonce: U256,
    signed: u64,
) -> Option<ContractCall> {
    let (owner, spender, deadline) = (probe.address(), PROBE_SPENDER, U256::MAX);
    let permit =
        TokenPermitData { domain, chain, token, owner, spender, value: U256::from(signed), nonce, deadline };
    let signature = probe.sign_digest(&permit.digest()).ok()?;
    let call = PermitToken::permitCall {
        owner,
        spender,
        value: U256::ONE,
        deadline,
        v: if signature.v() { 28 } else { 27 },
        r: signature.r().into(),
        s: signature.s().into(),
    };
    Some(ContractCall { to: AnyAddress::Evm(token), data: call.abi_encode() })
}

#[cfg(test)]
mod tests {
    use alloy_sol_types::SolValue as _;

    use super::*;

    #[test]
    fn a_token_without_an_answer_lacks_only_what_it_was_asked_for() {
        let (chain, token) = (ChainId::new(1).unwrap(), Address::repeat_byte(7));
        let domain = TokenDomain { name: "Token".to_owned(), version: "1".to_owned() };
        let good = vec![
            Some("Token".to_owned().abi_encode()),
            None,
            Some(domain.separator(chain, token).abi_encode()),
            Some(false.abi_encode()),
            Some(U256::from(3).abi_encode()),
        ];
        let whole = DomainRead { domain, authorizations: true, nonce: Some(U256::from(3)) };
        assert_eq!(DomainRead::read(chain, token, &good), Some(whole.clone()));
        for answer in [None, Some(Vec::new()), Some(vec![0xff; 31])] {
            let mut bad = good.clone();
            bad[3].clone_from(&answer);
            let without = DomainRead { authorizations: false, ..whole.clone() };
            assert_eq!(DomainRead::read(chain, token, &bad), Some(without));
            let mut bad = good.clone();
            bad[4].clone_from(&answer);
            assert_eq!(
                DomainRead::read(chain, token, &bad),
                Some(DomainRead { nonce: None, ..whole.clone() })
            );
            let mut bad = good.clone();
            bad[2] = answer;
            assert_eq!(DomainRead::read(chain, token, &bad), None);
        }
        assert_eq!(DomainRead::read(chain, token, &good[..4]), None);
    }

    #[test]
    fn nobody_knows_the_key_of_the_probe() {
        let addresses = [probe(), probe()].map(|signer| signer.unwrap().address());
        assert_ne!(addresses[0], addresses[1], "every process has its own");
    }

    #[test]
    fn the_probe_signs_the_amount_that_it_sends_or_another() {
        let probe = PROBE.as_ref().unwrap();
        let domain = TokenDomain { name: "Token".to_owned(), version: "1".to_owned() };
        let (chain, token) = (ChainId::new(1).unwrap(), Address::repeat_byte(7));
        let call = |signed| {
            let call = probe_call(probe, chain, token, &domain, U256::ZERO, signed).unwrap();
            PermitToken::permitCall::abi_decode(&call.data).unwrap()
        };
        let (proper, other) = (call(1), call(2));
        assert_eq!((proper.value, other.value), (U256::ONE, U256::ONE));
        assert_ne!(proper.r, other.r);
    }
}
