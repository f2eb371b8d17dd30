use alloy_primitives::address;

use super::*;

/// The two examples of the definition of Web3 Secret Storage.
const PBKDF2: &str = r#"{
    "crypto": {
        "cipher": "aes-128-ctr",
        "cipherparams": { "iv": "6087dab2f9fdbbfaddc31a909735c1e6" },
        "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
        "kdf": "pbkdf2",
        "kdfparams": {
            "c": 262144, "dklen": 32, "prf": "hmac-sha256",
            "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"
        },
        "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"
    },
    "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    "version": 3
}"#;

const CHEAP: Cost = Cost { log_n: 4 };

fn example() -> [u8; 32] {
    hex_array("7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d").unwrap()
}

#[test]
fn published_example_is_opened_by_its_password_alone() {
    let opened = open(PBKDF2, "testpassword", Family::Evm).unwrap();
    assert_eq!(*opened.key, example());
    assert_eq!(opened.address, Address::Evm(address!("008aeeda4d805471df9b2a5b0f38a0c3bcba786b")));
    assert_eq!(open(PBKDF2, "wrong", Family::Evm).err(), Some(KeystoreError::Password));
}

#[test]
fn what_is_sealed_is_opened_again_and_says_its_account() {
    for family in [Family::Evm, Family::Solana] {
        let text = seal(&[7; 32], family, "pässword", CHEAP).unwrap();
        assert!(is_keystore(&text) && !text.contains(&hex::encode([7; 32])), "{text}");
        let opened = open(&text, "pässword", family).unwrap();
        assert_eq!(*opened.key, [7; 32]);
        assert_eq!(account(&text).unwrap(), (family, Some(opened.address)));
        assert_eq!(open(&text, "password", family).err(), Some(KeystoreError::Password));
        let other = if family == Family::Evm { Family::Solana } else { Family::Evm };
        assert!(matches!(open(&text, "pässword", other), Err(KeystoreError::Family(..))));
        assert_ne!(text, seal(&[7; 32], family, "pässword", CHEAP).unwrap(), "salt and iv are new each time");
    }
}

#[test]
fn passwords_of_eip_2335_are_normalized() {
    // The published example of the password `testpassword` with an emoji, in mathematical letters.
    let odd = "𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑";
    assert_eq!(hex::encode(normalized(odd)), "7465737470617373776f7264f09f9491");
    assert_eq!(normalized("a\u{7f}b\nc").as_slice(), b"abc");
    let text = seal(&[7; 32], Family::Solana, odd, CHEAP).unwrap();
    assert!(open(&text, "testpassword🔑", Family::Solana).is_ok());
}

#[test]
fn keystore_whose_account_is_another_is_refused() {
    let text = seal(&[7; 32], Family::Evm, "p", CHEAP).unwrap();
    let mut object: Map<String, Value> = serde_json::from_str(&text).unwrap();
    object.insert("address".to_owned(), json!("00".repeat(20)));
    let swapped = Value::Object(object).to_string();
    assert!(matches!(open(&swapped, "p", Family::Evm), Err(KeystoreError::OtherAccount { .. })));
}

#[test]
fn parameters_that_take_all_memory_or_hours_are_refused() {
    let text = |n: &str, r: &str, p: &str| {
        format!(
            "{{\"version\":3,\"crypto\":{{\"cipher\":\"aes-128-ctr\",\"cipherparams\":{{\"iv\":\"{}\"}},\"ciphertext\":\"00\",\
             \"mac\":\"00\",\"kdf\":\"scrypt\",\"kdfparams\":{{\"dklen\":32,\"n\":{n},\"r\":{r},\"p\":{p},\"salt\":\"00\"}}}}}}",
            "00".repeat(16)
        )
    };
    for (n, r, p) in [
        ("18446744073709551615", "8", "1"),
        ("9223372036854775808", "8", "1"),
        ("1073741824", "8", "1"),
        ("0", "8", "1"),
        ("1", "8", "1"),
        ("3", "8", "1"),
        ("16", "0", "1"),
        ("16", "8", "17"),
        ("16", "4294967296", "1"),
    ] {
        let error = open(&text(n, r, p), "p", Family::Evm).err().unwrap();
        assert!(matches!(error, KeystoreError::Form(_)), "{n} {r} {p}: {error}");
    }
    assert_eq!(open(&text("16", "8", "1"), "p", Family::Evm).err(), Some(KeystoreError::Password));
    let slow = PBKDF2.replace("262144", "4000000000");
    assert!(matches!(open(&slow, "testpassword", Family::Evm), Err(KeystoreError::Form(_))));
}

#[test]
fn every_field_that_is_missing_or_another_is_told_and_nothing_panics() {
    let text = seal(&[7; 32], Family::Solana, "p", CHEAP).unwrap();
    for (family, text) in [(Family::Evm, PBKDF2), (Family::Solana, text.as_str())] {
        let object: Value = serde_json::from_str(text).unwrap();
        let mut paths = Vec::new();
        collect(&object, "", &mut paths);
        for path in
            paths.iter().filter(|path| !matches!(path.as_str(), "/id" | "/uuid" | "/path" | "/description"))
        {
            for bad in [Value::Null, json!(-1), json!("zz"), json!([]), json!({})] {
                let mut broken = object.clone();
                *broken.pointer_mut(path).unwrap() = bad;
                // Whatever it is: an error, or the same key.
                if let Ok(opened) = open(&broken.to_string(), "p", family) {
                    assert_eq!(*opened.key, [7; 32], "{path}");
                }
            }
        }
    }
    for bad in ["", "[]", "{}", "0x12", "{\"version\":5,\"crypto\":{}}", "{\"version\":4,\"pubkey\":\"ab\"}"]
    {
        assert!(matches!(open(bad, "p", Family::Evm), Err(KeystoreError::Form(_))), "{bad}");
    }
    assert!(!is_keystore("{}") && !is_keystore("[1,2]"));
}

fn collect(value: &Value, path: &str, to: &mut Vec<String>) {
    if let Some(object) = value.as_object() {
        for (name, value) in object {
            let path = format!("{path}/{name}");
            collect(value, &path, to);
            to.push(path);
        }
    }
}
