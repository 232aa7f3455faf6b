/*
 * http_listen.c
 *	  The sockets that the endpoint listens on.
 *
 * All workers listen on the same addresses; the kernel spreads connections
 * over them (SO_REUSEPORT).  Without TLS nothing but loopback is listened on
 * unless a setting says so, and without authentication never.
 */
#include "postgres.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/guc.h"
#include "http/http_private.h"

#define BACKLOG		1024

static int	listen_on_name(const char *name, int *sockets, int max);
static int	listen_on(const struct addrinfo *address);
static bool may_listen_on(const struct addrinfo *address, const char *name);
static bool is_loopback(const struct sockaddr *address);

/* Opens at most "max" sockets; returns their number. */
int
http_listen(int *sockets, int max)
{
	const char *at = guc_http_listen_addresses;
	int			n = 0;

	while (*at != '\0')
	{
		char		name[256];
		size_t		len;

		at += strspn(at, ", \t");
		len = strcspn(at, ", \t");
		if (len > 0)
		{
			strlcpy(name, at, Min(len + 1, sizeof(name)));
			n += listen_on_name(name, sockets + n, max - n);
		}
		at += len;
	}
	return n;
}

static int
listen_on_name(const char *name, int *sockets, int max)
{
	struct addrinfo hints = {0};
	struct addrinfo *found;
	char		port[16];
	int			n = 0;
	int			result;

	snprintf(port, sizeof(port), "%d", guc_http_port);
	hints.ai_family = AF_UNSPEC;
	hints.ai_socktype = SOCK_STREAM;
	hints.ai_flags = AI_PASSIVE;
	result = getaddrinfo(strcmp(name, "*") == 0 ? NULL : name, port, &hints,
						 &found);
	if (result != 0)
	{
		ereport(LOG,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("could not find address \"%s\" of the HTTP endpoint: %s",
						name, gai_strerror(result))));
		return 0;
	}
	for (struct addrinfo *a = found; a != NULL && n < max; a = a->ai_next)
	{
		if (!may_listen_on(a, name))
			continue;
		sockets[n] = listen_on(a);
		if (sockets[n] >= 0)
			n++;
		else
			ereport(LOG,
					(errcode_for_socket_access(),
					 errmsg("could not listen on address \"%s\", port %d, for HTTP: %m",
							name, guc_http_port)));
	}
	freeaddrinfo(found);
	return n;
}

static bool
may_listen_on(const struct addrinfo *address, const char *name)
{
	if (is_loopback(address->ai_addr))
		return true;
	if (guc_http_auth == HTTP_AUTH_NONE)
	{
		ereport(LOG,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("the HTTP endpoint does not listen on address \"%s\" without authentication",
						name),
				 errhint("With partitioning.http_auth = 'none' it listens on loopback addresses only.")));
		return false;
	}
	if (!guc_http_insecure)
		ereport(LOG,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("the HTTP endpoint does not listen on address \"%s\" without TLS",
						name),
				 errhint("Put a reverse proxy with TLS before it, or set partitioning.http_insecure to let others read along.")));
	return guc_http_insecure;
}

static bool
is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
	{
		uint32		ip = ntohl(((const struct sockaddr_in *) address)->sin_addr.s_addr);

		return (ip >> 24) == IN_LOOPBACKNET;
	}
	return address->sa_family == AF_INET6 &&
		IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *) address)->sin6_addr);
}

/* A listening socket, or -1 with errno. */
static int
listen_on(const struct addrinfo *address)
{
	int			on = 1;
	int			fd = socket(address->ai_family,
							SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0 &&
		(address->ai_family != AF_INET6 ||
		 setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
		bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
		listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}
