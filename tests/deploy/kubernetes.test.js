import assert from "node:assert/strict";
import test from "node:test";
import { missing, read, run, yaml } from "./tools.js";

const skipped = "deploy/kubernetes was not rendered";

function render(overlay) {
    const done = run("kubectl", ["kustomize", `deploy/kubernetes/overlays/${overlay}`]);
    assert.equal(done.code, 0, done.errors);
    return yaml(done.output);
}

/** A copy of an object that remembers which of its fields were looked at. */
function watched(value, path, unread) {
    if (typeof value !== "object" || value === null) return value;
    const copy = Array.isArray(value) ? [] : {};
    for (const [key, inner] of Object.entries(value)) {
        const at = `${path}/${key}`;
        unread.add(at);
        const content = watched(inner, at, unread);
        Object.defineProperty(copy, key, {
            enumerable: true,
            get() {
                unread.delete(at);
                return content;
            },
        });
    }
    return copy;
}

/** Checks an object against the schema of its kind. The validators read every field that they know: others are misspelled. */
async function validate(object) {
    const { apiVersion, kind } = object;
    const operator = apiVersion.startsWith("monitoring.coreos.com/");
    const module = await import(`${operator ? "@kubernetes-models/prometheus-operator" : "kubernetes-models"}/${apiVersion}/${kind}`);
    const unread = new Set();
    const Model = (module.default ?? module)[kind];
    Model.prototype.validate.call(watched(object, "", unread));
    assert.deepEqual([...unread], [], `${kind} ${object.metadata.name} has unknown fields`);
}

const rejected = async (object, words) => assert.rejects(validate(object), words);

test("the schema check finds wrong types and misspelled fields", async () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "x" }, spec: { ports: [{ port: 80 }] } };
    await validate(service);
    await rejected({ ...service, spec: { ports: [{ port: "eighty" }] } }, /port/);
    await rejected({ ...service, spec: { portz: [{ port: 80 }] } }, /portz/);
});

for (const overlay of ["production", "attester", "trial"])
    test(`overlay ${overlay}: every object has the form of its kind`, async (t) => {
        if (missing(t, "kubectl", ["version", "--client"], skipped)) return;
        for (const object of render(overlay)) await validate(object);
    });

test("the Secrets of the example are those that the pods read", async (t) => {
    const examples = yaml(read("deploy/kubernetes/overlays/production/secrets.example.yaml"));
    for (const object of examples) await validate(object);
    if (missing(t, "kubectl", ["version", "--client"], skipped)) return;
    const named = JSON.stringify(render("production")).matchAll(/"secretName":"([^"]+)"|"secretRef":\{"name":"([^"]+)"/g);
    assert.deepEqual([...new Set([...named].map((match) => match[1] ?? match[2]))].sort(), examples.map((object) => object.metadata.name).sort());
});

const has = (labels, wanted) => Object.entries(wanted).every(([key, value]) => labels?.[key] === value);

test("pods are locked down, probed, and the only ones that their services and policies select", (t) => {
    if (missing(t, "kubectl", ["version", "--client"], skipped)) return;
    const objects = render("trial");
    const of = (kind) => objects.filter((object) => object.kind === kind);
    const sets = of("StatefulSet");
    assert.equal(sets.length, 4);
    for (const set of sets) {
        const name = set.metadata.name;
        const { labels } = set.spec.template.metadata;
        const pod = set.spec.template.spec;
        assert.ok(pod.securityContext.runAsNonRoot && pod.securityContext.seccompProfile.type === "RuntimeDefault", name);
        assert.equal(pod.automountServiceAccountToken, false, name);
        for (const container of [...pod.initContainers, ...pod.containers]) {
            const context = container.securityContext;
            assert.ok(context.readOnlyRootFilesystem && context.allowPrivilegeEscalation === false, `${name}/${container.name}`);
            assert.deepEqual(context.capabilities.drop, ["ALL"]);
            assert.ok(container.resources.requests.memory && container.resources.limits.memory, `${name}/${container.name} has no limits`);
            assert.match(container.image, /^registry\.example\/causeway:\d/);
            const volumes = new Set([...pod.volumes, ...(set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)].map((volume) => volume.name));
            for (const mount of container.volumeMounts) assert.ok(volumes.has(mount.name), `${name}: no volume ${mount.name}`);
        }
        const [main] = pod.containers;
        assert.ok(main.readinessProbe && main.livenessProbe, name);
        const paths = [main.readinessProbe, main.livenessProbe, main.startupProbe].map((probe) => probe?.httpGet?.path).filter(Boolean);
        // What the service and the attester answer; crates/http and crates/attester have the routes.
        for (const path of paths) assert.ok(["/healthz", "/readyz", "/health"].includes(path), path);
        assert.ok(has(labels, set.spec.selector.matchLabels), name);
        const policies = of("NetworkPolicy").filter((policy) => has(labels, policy.spec.podSelector.matchLabels));
        assert.equal(policies.length, 1, `${name} has ${policies.length} network policies`);
        assert.deepEqual(policies[0].spec.policyTypes, ["Ingress", "Egress"]);
        assert.ok(of("Service").some((service) => service.metadata.name === set.spec.serviceName && has(labels, service.spec.selector)), name);
        for (const other of sets) if (other !== set) assert.ok(!has(other.spec.template.metadata.labels, set.spec.selector.matchLabels), `${name} selects ${other.metadata.name}`);
    }
    const service = sets.find((set) => set.metadata.name === "causeway");
    assert.ok(service.spec.replicas >= 2);
    const [budget] = of("PodDisruptionBudget");
    assert.ok(has(service.spec.template.metadata.labels, budget.spec.selector.matchLabels));
    for (const set of sets) if (set !== service) assert.equal(set.spec.replicas, 1, "two attesters with one key");
});

test("the alert rules for the Prometheus operator have the form of their kind", async () => {
    const done = run("deploy/kubernetes/prometheus-rule", []);
    assert.equal(done.code, 0, done.errors);
    const [rule] = yaml(done.output);
    await validate(rule);
    assert.deepEqual(rule.spec, yaml(read("deploy/prometheus/alerts.yml"))[0]);
});
