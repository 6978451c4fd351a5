import {
  factsOf,
  type NodeDefinition,
  type ValueType,
  type Workflow,
  writeWorkflow,
} from '@medloom/contracts'
import { canonical } from './canonical.js'
import type { KeyContext, Versions } from './key-context.js'
import { type Hash, sha256 } from './sha256.js'

/** Everything that determines the result of a node. It is stored with the result, to explain later why the node must run again. */
export interface KeyParts {
  readonly id: string
  readonly type: string
  /** Implementation version of the node definition. */
  readonly version: number
  /** Versions of the packages that the definition names. Absent in results stored before they were part of the key. */
  readonly software?: Versions
  /** Digest of the file of a custom node. */
  readonly code?: string
  /** Complete config without the fields that cannot change the result. */
  readonly config: Readonly<Record<string, unknown>>
  /** Sorted by port, then by the type of the arriving value. */
  readonly inputs: readonly ArrivingDigest[]
  /** Digest of the external data that the node reads; null: none. */
  readonly source: string | null
  /** Implicit input → digest of its value. Absent in the same cases as `software`. */
  readonly implicit?: Readonly<Record<string, string>>
}

export interface ArrivingDigest {
  readonly port: string
  /** Type of the output from which it comes: the conversion is part of the arriving value. */
  readonly from: ValueType
  /** Content digest of the value. */
  readonly digest: string
}

export function keyParts(
  node: { readonly id: string; readonly type: string },
  definition: NodeDefinition,
  config: Readonly<Record<string, unknown>>,
  inputs: readonly ArrivingDigest[],
  { source, software, implicit }: KeyContext,
  hash: Hash = sha256,
): KeyParts {
  return {
    id: node.id,
    type: node.type,
    version: definition.version,
    software,
    ...(definition.source ? { code: definition.source.sha256 } : {}),
    config: Object.fromEntries(fieldsOf(definition).keyed.map((name) => [name, config[name]])),
    inputs: [...inputs].sort((a, b) => compare(a.port, b.port) || compare(a.from, b.from)),
    source,
    implicit: Object.fromEntries(
      Object.entries(implicit).map(([name, value]) => [name, hash(canonical(value))]),
    ),
  }
}

/** The cache key: sha256 over the canonical encoding of its parts. Positions, labels and the names of connections are not included. */
export function cacheKey(parts: KeyParts, hash: Hash = sha256): string {
  const { id, type, version, software = {}, code, config, inputs, source, implicit = {} } = parts
  return hash(
    canonical([
      'medloom node key 2',
      id,
      type,
      version,
      fingerprint(software, hash),
      config,
      inputs.map(({ port, from, digest }) => [port, from, digest]),
      source,
      implicit,
      ...(code === undefined ? [] : [code]),
    ]),
  )
}

/** Computed once for the versions that all nodes with the same software share. */
function fingerprint(software: Versions, hash: Hash): string {
  let digest = FINGERPRINTS.get(software)
  if (digest === undefined) {
    digest = hash(canonical(software))
    FINGERPRINTS.set(software, digest)
  }
  return digest
}
const FINGERPRINTS = new WeakMap<Versions, string>()

/** Reports whether the node with this configuration reads external data whose content belongs to its key. */
export function readsOutside(definition: NodeDefinition, config: Readonly<Record<string, unknown>>): boolean {
  return fieldsOf(definition).reading.some((name) => typeof config[name] === 'string')
}

/** Digest of the workflow itself for nodes that take it as an implicit input: everything but its history. */
export function workflowDigest(workflow: Workflow, hash: Hash = sha256): string {
  return hash(canonical(writeWorkflow({ ...workflow, execution_history: [] })))
}

/** Names of the config fields in which two sets of parts differ. */
export function changedFields(before: KeyParts, after: KeyParts): string[] {
  const names = new Set([...Object.keys(before.config), ...Object.keys(after.config)])
  return [...names].filter((name) => !sameValue(before.config[name], after.config[name])).sort()
}

function sameValue(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b
  const [first, second] = [canonical(a), canonical(b)]
  return first.length === second.length && first.every((byte, i) => byte === second[i])
}

interface Fields {
  readonly keyed: readonly string[]
  readonly reading: readonly string[]
}
const FIELDS = new WeakMap<NodeDefinition, Fields>()

function fieldsOf(definition: NodeDefinition): Fields {
  let fields = FIELDS.get(definition)
  if (!fields) {
    const facts = Object.entries(definition.config.shape).map(
      ([name, schema]) => [name, factsOf(schema)] as const,
    )
    fields = {
      keyed: facts.filter(([, fact]) => fact.affects_result !== false).map(([name]) => name),
      reading: facts.filter(([, fact]) => fact.reads !== undefined).map(([name]) => name),
    }
    FIELDS.set(definition, fields)
  }
  return fields
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
