import { spawn } from 'node:child_process'

interface Desktop {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** True if the output of this process goes to a terminal. */
  readonly isTerminal: boolean
}
const HERE: Desktop = {
  platform: process.platform,
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
}

/**
 * Open an address of the service in the browser of this desktop. Nothing waits for it, and a failure is ignored.
 * @returns true if it was attempted: false without a terminal or a desktop
 */
export function openPage(address: string, desktop = HERE): boolean {
  const [command, ...args] = browserCommand(desktop) ?? []
  if (command === undefined) return false
  spawn(command, [...args, reachable(address)], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
  return true
}

/** The program that opens an address, with the arguments that precede it; null if there is no desktop. */
export function browserCommand({ platform, env, isTerminal }: Desktop): string[] | null {
  if (!isTerminal) return null
  if (platform === 'darwin') return ['open']
  // The first quoted argument of start would be interpreted as a title.
  if (platform === 'win32') return ['cmd', '/c', 'start', '""']
  return platform === 'linux' && (env.DISPLAY || env.WAYLAND_DISPLAY) ? ['xdg-open'] : null
}

/** A service that listens on all addresses is reached at the loopback address of this machine. */
export function reachable(address: string): string {
  return address.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, 'http://127.0.0.1')
}
