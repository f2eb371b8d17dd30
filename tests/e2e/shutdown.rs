use std::process::Command;
use std::time::Duration;

use crate::service::{Service, data_dir};

fn signal(service: &Service, name: &str) {
    let status = Command::new("kill").args([name, &service.child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn sigterm_and_ctrl_c_drain_and_exit_0() {
    for name in ["-TERM", "-INT"] {
        let folder = data_dir();
        let mut service = Service::start(folder.path());
        assert_eq!(service.get("/healthz").await.status(), 200);
        signal(&service, name);
        assert_eq!(service.wait(Duration::from_mins(1)), Some(0), "{name}");
    }
}

#[tokio::test]
async fn second_service_on_the_same_data_folder_is_refused() {
    let folder = data_dir();
    let _first = Service::start(folder.path());
    let second = crate::service::causeway()
        .args(["--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("another causeway"));
}

#[tokio::test]
async fn port_in_use_error_names_the_listen_flag() {
    let folder = data_dir();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let output = crate::service::causeway()
        .args(["--listen", &taken.local_addr().unwrap().to_string(), "--data-dir"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("--listen"), "{stderr}");
}
