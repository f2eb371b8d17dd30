use crate::endpoint::Endpoint;
use crate::error::PoolError;
use crate::fault::Fault;

/// The code of a call that no endpoint supports.
const METHOD_NOT_FOUND: i64 = -32_601;

/// A fault of an endpoint for the call with this id.
pub(crate) type CallFault<'a> = (usize, &'a Endpoint, Fault);

/// The error of a call after all endpoints failed, with the last fault of each, in the configured order. If no endpoint
/// supports the call, it is a refusal.
pub(crate) fn exhausted(endpoints: &[Endpoint], id: usize, faults: &[CallFault<'_>]) -> PoolError {
    let about: Vec<&CallFault<'_>> = faults.iter().filter(|(about, ..)| *about == id).collect();
    let messages: Vec<String> = endpoints
        .iter()
        .filter_map(|endpoint| {
            let (.., fault) = about.iter().rev().find(|(_, at, _)| std::ptr::eq(*at, endpoint))?;
            Some(format!("{}: {}", endpoint.url(), endpoint.redacted(fault)))
        })
        .collect();
    let text = messages.join("; ");
    let all = |test: fn(&Fault) -> bool| about.iter().all(|(.., fault)| test(fault));
    if about.is_empty() {
        return PoolError::WrongChain("every endpoint serves another chain".to_owned());
    }
    if all(|fault| matches!(fault, Fault::WrongChain(_))) {
        return PoolError::WrongChain(text);
    }
    if all(|fault| matches!(fault, Fault::Unsupported(_) | Fault::TooLarge(_))) {
        return PoolError::Refused { code: METHOD_NOT_FOUND, message: text, data: None };
    }
    if all(|fault| matches!(fault, Fault::InvalidResponse(_) | Fault::WrongChain(_))) {
        return PoolError::InvalidResponse(text);
    }
    PoolError::Unavailable(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EndpointConfig;

    fn concluded(faults: &[Fault]) -> PoolError {
        let endpoint = || Endpoint::new(EndpointConfig::new("https://a.test/secret-key".parse().unwrap()));
        let endpoints: Vec<Endpoint> = faults.iter().map(|_| endpoint()).collect();
        let faults: Vec<CallFault<'_>> =
            endpoints.iter().zip(faults).map(|(endpoint, fault)| (7, endpoint, fault.clone())).collect();
        exhausted(&endpoints, 7, &faults)
    }

    #[test]
    fn one_transient_fault_makes_the_chain_unavailable_not_wrong() {
        let other = Fault::WrongChain("abc".to_owned());
        let invalid = Fault::InvalidResponse("key secret-key".to_owned());
        assert!(matches!(concluded(&[other.clone(), other.clone()]), PoolError::WrongChain(_)));
        assert_eq!(
            concluded(&[other.clone(), invalid]).to_string(),
            "https://a.test: it serves chain abc; https://a.test: not a JSON-RPC answer (key ***)"
        );
        assert!(matches!(concluded(&[other, Fault::Timeout]), PoolError::Unavailable(_)));
        assert!(matches!(concluded(&[]), PoolError::WrongChain(_)));
    }

    #[test]
    fn a_method_that_no_endpoint_knows_is_refused() {
        let missing = Fault::Unsupported("Method not found".to_owned());
        let refused = concluded(&[missing.clone(), Fault::TooLarge(5)]);
        assert!(matches!(refused, PoolError::Refused { code: METHOD_NOT_FOUND, .. }), "{refused}");
        assert!(matches!(concluded(&[missing, Fault::Busy]), PoolError::Unavailable(_)));
    }
}
