import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const BEAT = 2_000
const SILENT = 30_000

/**
 * Does `work` while no other process does it for the same file. The file names its owner and is touched while the owner lives,
 * so that a killed owner is detected: by its process id on this machine, by silence elsewhere.
 */
export async function withLock(file, work, { onWait = () => {} } = {}) {
  const me = JSON.stringify({ pid: process.pid, host: hostname() })
  for (let waited = false; !take(file, me); ) {
    const owner = abandoned(file)
    if (owner !== null) remove(file, owner)
    else {
      if (!waited) onWait(read(file))
      waited = true
      await sleep(300)
    }
  }
  const beat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date())
    } catch {
      // Another process removed the file; the work itself is not affected.
    }
  }, BEAT)
  const release = () => {
    if (read(file) === me) rmSync(file, { force: true })
  }
  process.on('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    process.off('exit', release)
    release()
  }
}

function take(file, me) {
  try {
    writeFileSync(file, me, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** Content of the lock if its owner is gone, otherwise null. */
function abandoned(file) {
  const text = read(file)
  if (text === null) return null
  let age = 0
  try {
    age = Date.now() - statSync(file).mtimeMs
  } catch {
    return null
  }
  try {
    const { pid, host } = JSON.parse(text)
    if (host === hostname()) return alive(pid) ? null : text
  } catch {
    // Incomplete: its owner died while writing, or is writing now.
    return age > 2_000 ? text : null
  }
  return age > SILENT ? text : null
}

/** Removes the lock only while it is still the abandoned one. */
function remove(file, text) {
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
    if (read(aside) !== text) renameSync(aside, file)
    else rmSync(aside, { force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
