[ "$(kubectl get deployment web -o jsonpath='{.status.readyReplicas}')" = 3 ]
