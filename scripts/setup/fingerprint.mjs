import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** sha256 over files (names and contents, folders with everything below) and further facts. A missing file counts as absent. */
export function fingerprint(root, paths, facts = []) {
  const hash = createHash('sha256').update(JSON.stringify(facts))
  for (const file of paths.flatMap((path) => filesBelow(join(root, path)))) {
    const content = readOrNull(file)
    hash.update(`\0${relative(root, file)}\0${content === null ? 'absent' : content.length}\0`)
    if (content !== null) hash.update(content)
  }
  return hash.digest('hex')
}

/** A stamp next to the output of a step: it exists only if the step was finished, with exactly these inputs. */
export function hasStamp(file, value) {
  return readOrNull(file)?.toString() === value
}

export function writeStamp(file, value) {
  writeFileSync(file, value)
}

function filesBelow(path) {
  try {
    return readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .sort()
  } catch {
    return [path]
  }
}

function readOrNull(file) {
  try {
    return readFileSync(file)
  } catch {
    return null
  }
}
