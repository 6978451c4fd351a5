import { Login, Session } from '../session.js'
import { FLAT_BODY, type RouteDeclaration } from './declaration.js'

/** Login of a browser if a token is required. Programs send the token itself. */
export const SESSION_ROUTES = {
  getSession: {
    method: 'GET',
    path: '/api/session',
    tag: 'session',
    access: 'public',
    owned: false,
    summary: 'Get the session: whether a token is required, whether the caller is logged in, and the user',
    response: Session,
  },
  login: {
    method: 'POST',
    path: '/api/login',
    tag: 'session',
    access: 'public',
    owned: false,
    summary:
      'Log a browser in: the response sets a cookie for requests, images and WebSockets of this origin',
    body: Login,
    ...FLAT_BODY,
    bodyBytes: 4096,
    response: Session,
    errors: ['LOGIN_FAILED', 'LOGIN_LIMITED'],
  },
  logout: {
    method: 'POST',
    path: '/api/logout',
    tag: 'session',
    access: 'public',
    owned: false,
    summary:
      'Log the browser out: the response removes the cookie, and the open WebSockets of the login are closed with 4401',
    response: Session,
  },
} as const satisfies Record<string, RouteDeclaration>
