/** A set-up that could not be finished. The message states what happened and the remedy. */
export class SetUpError extends Error {
  constructor(problem, remedy = '', { interrupted = false } = {}) {
    super(remedy ? `${problem}\n${remedy}` : problem)
    this.interrupted = interrupted
  }
}

const AGAIN = 'Then run the same command again: what is finished is kept.'

const CAUSES = [
  {
    sign: /ENOSPC|No space left on device|Disk quota exceeded/i,
    problem: 'The disk is full.',
    remedy: `Free some space (the Python environment takes about 2 GB with the CPU build of PyTorch, about 8 GB with CUDA). ${AGAIN}`,
  },
  {
    sign: /CERTIFICATE_VERIFY_FAILED|SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT|unable to get local issuer/i,
    problem: 'The certificate of the package registry is not trusted.',
    remedy: `Behind a company proxy, set NODE_EXTRA_CA_CERTS (npm) and PIP_CERT (pip) to its certificate file. ${AGAIN}`,
  },
  {
    sign: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|name resolution|Failed to establish a new connection|Network is unreachable|Max retries exceeded|Read timed out/i,
    problem: 'The package registry cannot be reached.',
    remedy: `Check the network; behind a proxy set HTTPS_PROXY. ${AGAIN}`,
  },
  {
    sign: /package\.json and package-lock\.json.*in sync/is,
    problem: 'package-lock.json does not agree with package.json.',
    remedy: 'Run "npm install" and keep the changed package-lock.json.',
  },
  {
    sign: /No matching distribution found for (\S+)/i,
    problem: 'A Python package has no build for this interpreter and system.',
    remedy:
      'Set MEDLOOM_PYTHON to a Python 3.11, 3.12 or 3.13 of 64 bit, delete the folder .venv, and run the command again.',
  },
  {
    sign: /EACCES|EPERM|Permission denied/i,
    problem: 'A file or folder cannot be written.',
    remedy: `Give yourself the right to write in this folder. ${AGAIN}`,
  },
]

/** Explanation of a failed tool's output for the user who must fix it. */
export function explainFailure(title, output) {
  const tail = output.trimEnd().split('\n').slice(-12).join('\n')
  const cause = CAUSES.find(({ sign }) => sign.test(output))
  return new SetUpError(
    `${title} failed. ${cause?.problem ?? 'The last lines were:'}`,
    cause ? `${cause.remedy}\n\nLast lines:\n${tail}` : tail,
  )
}
