import { ERRORS, PHRASES, WARNINGS } from '../src/index.js'
import { GENERATED } from './generated.js'

/** The codes as Python literal types, so that mypy rejects a code that is not in the catalog. */
export function pythonCodes(): string {
  return `# ${GENERATED}

from typing import Literal

ErrorCode = ${literal(Object.keys(ERRORS))}

WarningCode = ${literal(Object.keys(WARNINGS))}

PhraseCode = ${literal(Object.keys(PHRASES))}
`
}

function literal(codes: readonly string[]): string {
  return `Literal[\n${codes.map((code) => `    "${code}",\n`).join('')}]`
}
