import type { FastifyInstance } from 'fastify'

export interface RunningService {
  /** An address such as http://127.0.0.1:8000. */
  readonly address: string
  /** The application, for requests without a network. */
  readonly app: FastifyInstance
  /** Resolves when the connection to the database server is lost: from then on this service can only close. */
  readonly lost: Promise<Error>
  /** Respond to open requests, then shut down. Trainings continue, and the next service adopts them. */
  close(): Promise<void>
}
