import {
  factsOf,
  IMPLICIT_INPUTS,
  type NodeDefinition,
  type PlanChange,
  type PlanReason,
} from '@medloom/contracts'
import { changedFields, type KeyParts } from '../cache/cache-key.js'
import { changedVersions } from '../cache/key-context.js'

/** Changes since the latest result, the nearest cause first. */
export function cacheMissReason(
  now: KeyParts,
  before: KeyParts | undefined,
  definition: Pick<NodeDefinition, 'config'>,
): [PlanReason, PlanChange[]?] {
  if (!before) return ['never_run']
  if (before.type !== now.type) return ['implementation_changed']
  if (before.version !== now.version)
    return ['implementation_changed', changes('version', [`version ${before.version} → ${now.version}`])]
  if (before.code !== now.code)
    return ['implementation_changed', changes('version', ['the file of the node'])]
  const software = softwareChange(before, now)
  if (software.length > 0) return ['software_changed', changes('software', software)]
  const fields = changedFields(before, now)
  const set = fields.filter((field) => isSetByUser(field, now, before, definition))
  if (set.length > 0) return ['config_changed', changes('field', set)]
  if (fields.length > 0)
    return [
      'implementation_changed',
      changes(
        'version',
        fields.map((field) => fieldWord(field, now)),
      ),
    ]
  if (before.source !== now.source) return ['source_changed']
  const implicit = changedImplicit(before, now)
  if (implicit.length > 0) return ['implicit_input_changed', changes('implicit_input', implicit)]
  const old = new Map(before.inputs.map(({ port, from, digest }) => [`${port} ${from}`, digest]))
  const ports = now.inputs.filter(({ port, from, digest }) => old.get(`${port} ${from}`) !== digest)
  if (ports.length > 0 || old.size !== now.inputs.length)
    return ['input_changed', changes('input', [...new Set(ports.map(({ port }) => port))])]
  return ['not_cached']
}

function changes(what: PlanChange['what'], names: readonly string[]): PlanChange[] {
  return names.map((name) => ({ what, name }))
}

/** A field that an older version did not have counts as unchanged while it has its default or the earlier behavior. */
function isSetByUser(
  field: string,
  now: KeyParts,
  before: KeyParts,
  { config }: Pick<NodeDefinition, 'config'>,
): boolean {
  if (field in before.config) return field in now.config
  const schema = config.shape[field] as NodeDefinition['config'] | undefined
  const { before_it_existed } = factsOf(schema)
  const value = JSON.stringify(now.config[field])
  return ![schema?.safeParse(undefined).data, before_it_existed].some(
    (usual) => JSON.stringify(usual) === value,
  )
}

function fieldWord(field: string, now: KeyParts): string {
  return `${field in now.config ? 'new' : 'removed'} field ${field}`
}

function softwareChange({ software: before }: KeyParts, { software: now = {} }: KeyParts): string[] {
  if (Object.keys(now).length === 0) return []
  return before ? changedVersions(before, now) : ['the software versions of the result were not recorded']
}

function changedImplicit({ implicit: before = {} }: KeyParts, { implicit: now = {} }: KeyParts): string[] {
  return Object.entries(now).flatMap(([name, digest]) =>
    before[name] === digest ? [] : [IMPLICIT_INPUTS[name as keyof typeof IMPLICIT_INPUTS]],
  )
}
