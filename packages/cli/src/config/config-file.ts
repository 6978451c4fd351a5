import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { asSaved, type ErrorIssue, namesFolder, PATH_KEYS, type PathKey } from '@medloom/contracts'
import { type Document, LineCounter, parse, parseDocument } from 'yaml'
import { UsageError } from '../exit-codes.js'
import { fromCurrentFolder, terminal } from '../terminal/terminal.js'

type Json = Record<string, unknown>

export interface ConfigFile {
  readonly config: Json
  /** "file:line" of a key, for messages; null when the key is not in the file. */
  readonly placeOf: (issue: Pick<ErrorIssue, 'path'>) => string | null
}

/**
 * A training configuration from a YAML or JSON file (JSON is YAML), overridden by `--set a.b=value`. Relative paths in the file are
 * resolved against the folder of the file, those in `--set` against the current folder; both are sent as absolute paths, unless `keepPaths`
 * leaves them to the service, which resolves them against its first root.
 */
export function readConfigFile(
  file: string,
  settings: readonly string[],
  { keepPaths = false } = {},
): ConfigFile {
  const { content, placeOf } = readDocument(file)
  if (!isObject(content))
    throw new UsageError(
      `${file} does not contain a training configuration.`,
      'A training configuration has the sections data, model and training.',
    )
  const config = ofItsVersion(content, file)
  if (!keepPaths) resolvePaths(config, folderOf(file))
  for (const setting of settings) applySetting(config, setting, keepPaths)
  return { config, placeOf: ({ path }) => placeOf(path.startsWith('config.') ? path.slice(7) : path) }
}

/**
 * A configuration of an earlier release with the defaults of that release. A message lists them, because the file does not contain these
 * keys.
 */
export function ofItsVersion(content: Json, file: string): Json {
  const config = asSaved(content) as Json
  const added = Object.entries(config).flatMap(([section, keys]) =>
    Object.entries(isObject(keys) ? keys : {})
      .filter(([key]) => !(key in ((content[section] as Json | undefined) ?? {})))
      .map(([key, value]) => `${section}.${key}=${JSON.stringify(value)}`),
  )
  if (added.length > 0)
    terminal().stderr.write(
      `${file} was saved by an earlier release, so it uses the defaults of that release: ${added.join(' ')}\n` +
        'To use current defaults, override these keys with --set or remove unneeded keys from the file.\n',
    )
  return config
}

/** A YAML or JSON file, and "file:line" of a dotted path in it. @throws UsageError when it cannot be read. */
export function readDocument(file: string): { content: unknown; placeOf: (path: string) => string | null } {
  const lines = new LineCounter()
  const document = parseDocument(readText(file, '-f'), { lineCounter: lines, prettyErrors: true })
  const [problem] = document.errors
  if (problem)
    throw new UsageError(`${file} is not valid YAML: ${problem.message}`, 'Correct the line in the message.')
  const content: unknown = document.toJS({ maxAliasCount: 100 })
  return { content, placeOf: (path) => placeIn(document, lines, file, path) }
}

/** Base folder of relative paths in a file. */
export function folderOf(file: string): string {
  return file === '-' ? terminal().cwd : dirname(fromCurrentFolder(file))
}

/** @param option that names the file, for the message when it cannot be read. */
export function readText(file: string, option: string): string {
  try {
    return readFileSync(file === '-' ? (terminal().stdin.fd ?? 0) : fromCurrentFolder(file), 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `The file cannot be read: ${reason}`,
      `Set ${option} to the path of a YAML or JSON file.`,
    )
  }
}

/** Make the paths of a training configuration, or of a part of one, absolute. */
export function resolvePaths(config: Json, base: string): void {
  for (const { section, key, kind } of PATH_KEYS) {
    const part = config[section]
    if (isObject(part) && key in part) part[key] = absolute(part[key], kind, base)
  }
}

/** The id of a trained model is not a path. */
function absolute(value: unknown, kind: PathKey['kind'], base: string): unknown {
  if (typeof value !== 'string' || (kind === 'checkpoint' && !namesFolder(value))) return value
  return resolve(base, value)
}

/** `training.epochs=3`, `data.image_size=[80, 80]`, `data.val_csv=null`: the value is read as YAML. */
export function applySetting(config: Json, setting: string, keepPaths: boolean): void {
  const separator = setting.indexOf('=')
  const keys = setting.slice(0, separator).split('.')
  const last = keys.at(-1)
  if (separator < 1 || !last || keys.some((key) => !/^\w+$/.test(key) || key === '__proto__'))
    throw new UsageError(
      `"--set ${setting}" does not have the form key=value.`,
      'For example: --set training.epochs=3',
    )
  let value: unknown
  try {
    value = parse(setting.slice(separator + 1))
  } catch {
    throw new UsageError(
      `The value of "--set ${setting}" is not valid YAML.`,
      'Quote text that contains : [ ] { } or #.',
    )
  }
  const inConfig = (keys[0] === 'config' ? keys.slice(1) : keys).join('.')
  const path = PATH_KEYS.find(({ section, key }) => `${section}.${key}` === inConfig)
  if (path && !keepPaths) value = absolute(value, path.kind, terminal().cwd)
  let target = config
  for (const key of keys.slice(0, -1)) {
    const inner = Object.hasOwn(target, key) ? target[key] : undefined
    const next = isObject(inner) ? inner : {}
    target[key] = next
    target = next
  }
  target[last] = value
}

function placeIn(document: Document, lines: LineCounter, file: string, path: string): string | null {
  const steps = path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key))
  const node = document.getIn(steps, true) as { range?: [number, number, number] } | undefined
  return node?.range ? `${file}:${lines.linePos(node.range[0]).line}` : null
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
