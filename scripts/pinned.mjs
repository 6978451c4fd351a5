/**
 * Packages and all that they need, each with the version that the repository is tested with: npm reads no lock file of an archive that it
 * installs, and takes the newest that fit.
 * @param lock package-lock.json of the repository
 * @param names what is needed itself
 * @returns name → version; of a package that is there in several versions, the one that Node finds from above
 */
export function pinned(lock, names) {
  const found = {}
  const pending = [...names]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name in found) continue
    const entry = lock.packages[`node_modules/${name}`]
    // It stands below another package alone, which brings it.
    if (!entry) continue
    found[name] = entry.version
    pending.push(...Object.keys(entry.dependencies ?? {}))
  }
  return Object.fromEntries(Object.entries(found).sort())
}
