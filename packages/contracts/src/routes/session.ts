import { Login, Session } from '../session.js'
import type { RouteDeclaration } from './declaration.js'

/** How a browser logs in where a token is required. Programs send the token itself. */
export const SESSION_ROUTES = {
  getSession: {
    method: 'GET',
    path: '/api/session',
    tag: 'session',
    summary: 'Whether a token is required, and whether the caller is logged in',
    response: Session,
    public: true,
  },
  login: {
    method: 'POST',
    path: '/api/login',
    tag: 'session',
    summary:
      'Log a browser in: the response sets a cookie that is good for requests, images and WebSockets of this origin',
    body: Login,
    response: Session,
    public: true,
    errors: ['LOGIN_FAILED', 'LOGIN_LIMITED'],
  },
  logout: {
    method: 'POST',
    path: '/api/logout',
    tag: 'session',
    summary: 'Log the browser out: the response removes its cookie',
    response: Session,
    public: true,
  },
} as const satisfies Record<string, RouteDeclaration>
