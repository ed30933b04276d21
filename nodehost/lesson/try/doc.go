// Package try is `nodehost lesson serve`: the page of lessons with one lesson, read from its folder at each
// request. The rest of the site is what it is given.
//
// It may import nodehost/lesson, its killercoda and the standard library; it must never serve what is not in the folder, and
// runs nothing: the lesson runs in the reader's tab.
package try
