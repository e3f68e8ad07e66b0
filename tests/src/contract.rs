//! openapi.yaml as a judge: the paths, and whether a reply is allowed.

use crate::{Exchange, Json, Reply};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Mutex;

/// The contract of this workspace.
pub struct Contract {
    pub document: Value,
    validators: Mutex<HashMap<String, std::sync::Arc<Validator>>>,
}

const METHODS: [&str; 8] = ["get", "post", "put", "delete", "patch", "head", "options", "trace"];

impl Contract {
    /// Reads openapi.yaml.
    pub fn load() -> Contract {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi.yaml");
        let text = std::fs::read_to_string(path).unwrap();
        Contract::parse(&text)
    }

    /// The same from its text.
    pub fn parse(text: &str) -> Contract {
        let document: Value = serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("openapi.yaml is not YAML: {e}"));
        Contract { document, validators: Mutex::default() }
    }

    /// A problem response names its possible codes, each with the example of that code and this status.
    pub fn require_codes(&self, response: &Value, status: &str, place: &str) {
        let content = response.get("content").and_then(|content| content.get("application/problem+json"));
        let Some(problem) = content else {
            assert!(response.get("x-codes").is_none(), "{place} has codes without a problem");
            return;
        };
        assert_eq!(problem["schema"]["$ref"], "#/components/schemas/Problem", "{place}");
        let codes: Vec<&str> = response["x-codes"].items().map(|code| code.as_str().unwrap()).collect();
        let examples = problem["examples"].as_object().unwrap();
        let shown: BTreeSet<&str> = examples.keys().map(String::as_str).collect();
        assert_eq!(codes.iter().copied().collect::<BTreeSet<&str>>(), shown, "{place}");
        for code in codes {
            let example = &self.resolve(&examples[code])["value"];
            assert_eq!((&example["code"], example["status"].to_string()), (&json!(code), status.to_owned()), "{place}");
        }
    }

    /// Follows `$ref`s within the document.
    pub fn resolve<'v>(&'v self, mut value: &'v Value) -> &'v Value {
        while let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let pointer =
                reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} points out of the document"));
            value = self.document.pointer(pointer).unwrap_or_else(|| panic!("{reference} points nowhere"));
        }
        value
    }

    /// Every (method, path template) with its operation.
    pub fn operations(&self) -> Vec<(String, String, &Value)> {
        let mut all = Vec::new();
        for (path, item) in self.document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if METHODS.contains(&method.as_str()) {
                    all.push((method.to_uppercase(), path.clone(), operation));
                }
            }
        }
        all
    }

    /// The operation of a request, if the contract has it: the matching template with the fewest parameters.
    pub fn operation(&self, method: &str, path: &str) -> Option<(String, &Value)> {
        let (path, method) = (path.split('?').next().unwrap(), method.to_lowercase());
        let paths = self.document["paths"].as_object().unwrap().iter();
        let known = paths.filter_map(|(template, item)| Some((template, item.get(&method)?)));
        let fits = known.filter(|(template, _)| METHODS.contains(&method.as_str()) && template_fits(template, path));
        fits.min_by_key(|(template, _)| template.matches('{').count())
            .map(|(template, operation)| (template.clone(), operation))
    }

    /// The response object for a status: its own, its class's, or the default one.
    pub fn response<'v>(&'v self, operation: &'v Value, status: u16) -> Option<&'v Value> {
        let responses = &operation["responses"];
        let keys = [status.to_string(), format!("{}XX", status / 100), "default".to_owned()];
        keys.iter().find_map(|key| responses.get(key)).map(|response| self.resolve(response))
    }

    /// The violations of a value by a schema of this document.
    pub fn violations(&self, schema: &Value, value: &Value) -> Vec<String> {
        let key = schema.to_string();
        let known = self.validators.lock().unwrap().get(&key).cloned();
        let validator = known.unwrap_or_else(|| {
            // The components are included, so that references to `#/components/…` resolve.
            let mut whole = Map::new();
            whole.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
            whole.insert("components".into(), self.document["components"].clone());
            whole.insert("allOf".into(), json!([schema]));
            let built = jsonschema::options().should_validate_formats(true).build(&Value::Object(whole));
            let built = std::sync::Arc::new(built.unwrap_or_else(|e| panic!("not a JSON schema: {e}: {key}")));
            self.validators.lock().unwrap().insert(key, std::sync::Arc::clone(&built));
            built
        });
        validator.iter_errors(value).map(|e| format!("at `{}`: {e}", e.instance_path())).collect()
    }

    /// The violations of a reply; every field must be in the contract.
    pub fn check(&self, exchange: &Exchange) -> Result<(), String> {
        let Exchange { method, path, reply, .. } = exchange;
        let say = |what: String| Err(format!("{method} {path} → {}: {what}\n{}", reply.status, shorten(&reply.text())));
        let Some((_, operation)) = self.operation(method, path) else {
            return self.check_elsewhere(exchange).or_else(say);
        };
        let Some(response) = self.response(operation, reply.status) else {
            return say("openapi.yaml does not have this status for this call".into());
        };
        let Some(content) = response.get("content").and_then(Value::as_object) else {
            return if reply.body.is_empty() { Ok(()) } else { say("openapi.yaml has no content here".into()) };
        };
        let kind = reply.header("content-type").unwrap_or_default();
        let bare = |kind: &str| kind.split(';').next().unwrap().trim().to_ascii_lowercase();
        let Some((_, media)) = content.iter().find(|(known, _)| bare(known) == bare(kind)) else {
            return say(format!("openapi.yaml does not have the content type `{kind}` here"));
        };
        for (name, header) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let required = self.resolve(header)["required"] == true;
            if required && reply.header(name).is_none() {
                return say(format!("the header {name} is missing"));
            }
        }
        let Some(schema) = media.get("schema") else { return Ok(()) };
        let value = match parse_body(reply) {
            Ok(value) => value,
            Err(what) => return say(what),
        };
        let mut violations = self.violations(schema, &value);
        // The code of an error is one of the call's codes for this status.
        if let Some(codes) = response.get("x-codes").and_then(Value::as_array) {
            if !codes.contains(&value["code"]) {
                violations.push(format!("openapi.yaml does not have the code {} here", value["code"]));
            }
            if value["status"] != reply.status {
                violations.push(format!("the body says that the status is {}", value["status"]));
            }
        }
        // Each line of JSON Lines is judged by itself.
        let of_line = media.get("x-item-schema").filter(|_| bare(kind) == "application/x-ndjson");
        if let Some(of_line) = of_line {
            for line in reply.text().lines() {
                match serde_json::from_str(line) {
                    Ok(item) => violations.extend(self.violations(of_line, &item)),
                    Err(e) => violations.push(format!("a line is not JSON: {e}")),
                }
            }
        }
        if violations.is_empty() { Ok(()) } else { say(violations.join("\n")) }
    }

    /// Judges the reply to a request that is no call: another method on a known path, or an unknown path.
    fn check_elsewhere(&self, Exchange { path, reply, .. }: &Exchange) -> Result<(), String> {
        let path_is_there = METHODS.iter().any(|method| self.operation(&method.to_uppercase(), path).is_some());
        let (status, code) = if path_is_there { (405, "method_not_allowed") } else { (404, "not_found") };
        let problem = parse_body(reply)?;
        if reply.status != status
            || problem["code"] != code
            || reply.header("content-type") != Some("application/problem+json")
        {
            return Err(format!("openapi.yaml has no such call, so this is to be {code} ({status})"));
        }
        let violations = self.violations(&json!({ "$ref": "#/components/schemas/Problem" }), &problem);
        if violations.is_empty() { Ok(()) } else { Err(violations.join("\n")) }
    }
}

fn parse_body(reply: &Reply) -> Result<Value, String> {
    let kind = reply.header("content-type").unwrap_or_default();
    if kind.starts_with("application/json") || kind.contains("+json") {
        return serde_json::from_slice(&reply.body).map_err(|e| format!("not JSON: {e}"));
    }
    Ok(Value::String(reply.text()))
}

/// Whether a path fits a template. A template that ends in `{path}` or stands below `/tile` takes the whole rest.
fn template_fits(template: &str, path: &str) -> bool {
    let mut wanted = template.split('/');
    let mut given = path.split('/');
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(part), Some(value)) => {
                let open = part.starts_with('{') && part.ends_with('}');
                if open && template.starts_with("/tile/") && wanted.clone().next().is_none() {
                    return !value.is_empty();
                }
                if !(open && !value.is_empty() || part == value) {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(2000).collect()
}
