"""Response checks in addition to those of schemathesis, which loads this module (SCHEMATHESIS_HOOKS)."""

import schemathesis

# Codes that only the schemas of openapi.json determine. Other codes depend on the state of the service: a
# missing file, a token that was not issued, a workflow that cannot run.
MALFORMED = {"INVALID_JSON", "INVALID_REQUEST", "UNKNOWN_FIELD"}


@schemathesis.check
def accepted_as_declared(ctx, response, case):
    """A request that the document permits is never rejected as malformed."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    code = response.json()["code"]
    assert code not in MALFORMED, f"a request that openapi.json allows was refused with {code}"


@schemathesis.check
def errors_have_the_error_body(ctx, response, case):
    """Every error has a message, a code, a remedy and the id of the request."""
    if response.status_code < 400 or case.method == "HEAD":
        return
    body = response.json()
    missing = [key for key in ("error", "code", "details", "request_id") if not body.get(key)]
    assert not missing, f"the error body lacks {', '.join(missing)}"
