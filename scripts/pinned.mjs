/**
 * Packages and all their dependencies, each with the version with which the repository is tested: npm ignores the lock file of an archive that
 * it installs, and selects the latest matching versions.
 * @param lock package-lock.json of the repository
 * @param names direct dependencies
 * @returns name → version; for a package with several versions, the one that Node resolves at the top level
 */
export function pinned(lock, names) {
  const found = {}
  const pending = [...names]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name in found) continue
    const entry = lock.packages[`node_modules/${name}`]
    // It exists only below another package, which installs it.
    if (!entry) continue
    found[name] = entry.version
    pending.push(...Object.keys(entry.dependencies ?? {}))
  }
  return Object.fromEntries(Object.entries(found).sort())
}
