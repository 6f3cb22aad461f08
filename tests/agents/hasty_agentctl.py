"""An agentctl that waits for its control plane for half a second instead of half a minute."""

import sys

from dependency_injector import providers

from adapters.agentctl.server.relay import Relay
from composition import agentctl
from composition.agentctl_container import Container
from domain.broker_bounds import BrokerBounds

if __name__ == "__main__":
    bounds = BrokerBounds(restart=0.5)
    Container.relay.override(providers.Singleton(Relay, Container.registry, bounds))
    sys.exit(agentctl.main())
